"""How facts are carried: a port with two adapters (memory, NATS), names, and the envelope."""
