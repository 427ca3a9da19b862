"""`sparrow mcr play`: MCR at a table, typed on a terminal."""
