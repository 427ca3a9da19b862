"""The learning board: a script that a person plays in about three minutes."""
