"""Fair play: figures of all play, flags and reports for an operator. Nothing here changes a result."""
