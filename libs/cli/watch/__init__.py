"""`sparrow watch`: which matches are played, and one of them as spectators see it."""
