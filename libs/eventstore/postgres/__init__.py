"""The event store on PostgreSQL. A hot append is one function call over asyncpg, no transaction around it."""
