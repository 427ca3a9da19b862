"""Queues, private games and rematches of any service: rows, orders, matchmaking, following."""
