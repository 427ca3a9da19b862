"""`sparrow load`: many bots on one address, and what the server made of it.

`tally` is what was counted, `player` one bot, `pair_bots` one of races or of the pool, `table_bots` one of
MCR tables, `drive` runs the bots of one process, `processes` those of several, `command` is what the command
line calls.
"""
