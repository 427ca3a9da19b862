"""Properties of the match service."""
