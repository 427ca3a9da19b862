"""`sparrow verify MATCH`: whether a match was dealt, scored and paid as its events and its reveal say.

`games` finds a match and knows its mode. `collect` reads one of rounds from the feeds, `recompute` works a
round out anew and `matches` what its rounds bring together; `race` and `pool` do a race and a game of the
pool, `ratings` and `escrow` read what lies outside them; `table` and `table_log` do MCR tables, their
deals and points; `tournament` and `tournament_log` do tournaments. `command` is what the command line calls.
"""
