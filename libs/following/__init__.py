"""Following streams and rows as they change: one topic for each, however many readers there are."""
