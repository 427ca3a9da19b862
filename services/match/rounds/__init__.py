"""Rounds of several seats: orders carried out, jokers, rows, and what is asked of the solver."""
