"""The account service over real gRPC and PostgreSQL."""
