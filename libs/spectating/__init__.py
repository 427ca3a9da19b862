"""Showing games to those who do not play, a stated delay after the facts, for every service with games."""
