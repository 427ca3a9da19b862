"""Spectating: matches of others, a stated delay after the facts."""
