"""`sparrow verify MATCH`: whether a match was dealt, scored and paid as its events and its reveal say.

`collect` reads the events of one match from the feeds, `recompute` works a round out anew, `matches` what its
rounds bring together, `command` is what the command line calls.
"""
