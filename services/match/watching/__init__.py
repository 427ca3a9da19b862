"""Following games as they are played."""
