"""Accounts: profiles, devices, sessions.

Owns the schema `account`: one stream per account (`ProfileCreated`; part facts), and plain rows for whatever
is personal (profile, device, session), which are never in events. Sends `sparrow.sessions.revoked` on the
bus.
"""
