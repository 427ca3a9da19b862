"""Finished games told again: what each seat did, when, and why it was worth what it was."""
