"""The match service killed in the middle of commands."""
