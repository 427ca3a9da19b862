"""Tournaments and their series, carried out: streams, rows beside them, timers."""
