"""`sparrow clubs`: found them, come in, let others in, leave."""
