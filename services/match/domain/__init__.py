"""What the match service decides: pure functions over attempts. No I/O, no clock, no randomness."""
