"""`sparrow verify MATCH`: whether a quick match was dealt, scored and paid as its events and its reveal say.

`collect` reads the events of one match from the feeds, `recompute` works everything out anew, `command` is
what the command line calls.
"""
