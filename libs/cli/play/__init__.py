"""`sparrow play`: a person plays in the terminal.

`picture` draws the board, `lines` reads what is typed, `command` answers.
"""
