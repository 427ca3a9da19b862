"""Tests of the event store on its adapters and on a real PostgreSQL."""
