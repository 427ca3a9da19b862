"""`sparrow solve`: positions in, answers out, a line of JSON each."""
