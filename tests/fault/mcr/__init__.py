"""The MCR service killed in the middle of its work."""
