"""Boards built anew from the log beside the live ones, and everything held against the log."""
