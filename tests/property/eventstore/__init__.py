"""Properties of the event store against naive models."""
