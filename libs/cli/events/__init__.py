"""`sparrow events`: the event log for analysts, as files, as SQL tables and as a live stream."""
