"""The queues: tickets, matchmaking, following a ticket, and their part of the gRPC edge."""
