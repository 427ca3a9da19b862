"""Races: groups, the queue, orders carried out, and their gRPC edge."""
