"""`sparrow play`: a person plays in the terminal. `picture` draws the board, `command` reads and answers."""
