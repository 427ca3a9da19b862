"""The revisions of the `mcr` schema."""
