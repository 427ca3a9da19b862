"""`sparrow demo`: bots play over gRPC, then the boards must equal what the bots saw acknowledged.

`player` is one bot, `journal` what was acknowledged, `fold` the naive sum of it, `verdict` compares that with
the boards, `live` and `report` show it, `run` puts it together, `command` is what the command line calls.
"""
