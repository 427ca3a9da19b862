"""Games of the pool: training, and matches for a pot."""
