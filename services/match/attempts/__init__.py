"""Attempts at levels: orders carried out, jokers, rows, deals."""
