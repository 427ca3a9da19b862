"""The kernel held against the definition on random positions."""
