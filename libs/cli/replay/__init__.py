"""`sparrow replay`: matches of a range run again from their events, or the boards of an instant.

`log` puts games together out of the feeds; `attempts`, `rounds`, `races` and `pools` run them again by the
service's own rules, `matches` what the rounds of a match come to. `ratings` knows what stood ahead of a rated
race, `table_log` puts MCR tables together, `journal` holds chips, ratings and table points against the
ledger. `command` is what the command line calls.
"""
