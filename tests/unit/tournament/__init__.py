"""Facts about tournaments."""
