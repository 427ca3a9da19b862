"""`sparrow`: the command line. It stands on top of everything and serves nothing.

`main` holds the program, `terminal` how it speaks, `connection` how it finds Sparrow and who is playing.
Every command that shows something has `--json` beside the table.
"""
