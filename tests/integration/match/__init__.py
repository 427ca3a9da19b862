"""The match service on real PostgreSQL, through real gRPC."""
