"""The revisions of the `account` schema."""
