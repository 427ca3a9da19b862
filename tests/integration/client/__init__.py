"""The client library over real gRPC."""
