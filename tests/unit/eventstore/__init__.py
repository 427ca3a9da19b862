"""Tests of the pure parts of the event store."""
