"""Tournament tables."""
