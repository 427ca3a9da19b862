"""Clubs: decided by `domain/clubs.py`, kept as facts and rows in one transaction, and their gRPC edge."""
