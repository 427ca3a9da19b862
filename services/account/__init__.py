"""Accounts and clubs: profiles, devices, sessions; founding clubs, coming in, going.

Owns the schema `account`. Part facts: one stream per account (`ProfileCreated`), per club, and per player's
tie with a club. Plain rows hold whatever is personal or written by people (profile, device, session, a club's
name and text), which is never in events, and the clubs' members. Sends `sparrow.sessions.revoked` on the bus.
"""
