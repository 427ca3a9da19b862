"""A table: one to sixteen deals of the same four seats, and what they add up to: a pure decider."""
