"""`sparrow replay`: matches of a range run again from their events, or the boards of an instant.

`log` puts games together out of the feeds, `attempts` and `rounds` run them again by the service's own rules,
`matches` what the rounds of a match come to, `command` is what the command line calls.
"""
