"""Properties of the rules of MCR."""
