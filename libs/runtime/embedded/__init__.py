"""PostgreSQL and NATS for one machine: started from wheels as children, stopped with their parent."""
