"""The revisions of every schema, a folder each."""
