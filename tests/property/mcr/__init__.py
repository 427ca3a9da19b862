"""Properties of MCR deals."""
