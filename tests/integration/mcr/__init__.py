"""The MCR service over real gRPC."""
