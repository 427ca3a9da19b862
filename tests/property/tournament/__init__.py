"""Properties of tournaments."""
