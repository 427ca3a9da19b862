"""Revisions of the `tournament` schema."""
