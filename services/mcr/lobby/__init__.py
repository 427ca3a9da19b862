"""How tables form: the queue, private tables, rematches, and their part of the gRPC edge."""
