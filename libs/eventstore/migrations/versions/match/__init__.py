"""The revisions of the `match` schema."""
