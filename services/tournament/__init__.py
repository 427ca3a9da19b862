"""Tournaments. Today it computes the points of a table: no rows, no streams, no subjects."""
