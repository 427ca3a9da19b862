"""Tournaments: who sits with whom, and what a place at a table is worth."""
