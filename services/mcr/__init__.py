"""MCR tables. Today it publishes the table of fans: no rows, no streams, no subjects."""
