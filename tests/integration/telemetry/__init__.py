"""What a running Sparrow shows of itself."""
