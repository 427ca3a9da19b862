"""`sparrow mcr`: what hands score and wait for."""
