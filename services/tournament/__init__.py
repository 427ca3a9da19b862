"""Tournaments: calendar, registration, seating, standings, prizes. Their tables are matches of another service."""
