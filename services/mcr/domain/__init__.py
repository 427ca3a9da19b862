"""What the MCR service decides: pure functions over tables and deals. No I/O, no clock, no randomness."""
