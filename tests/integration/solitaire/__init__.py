"""The solitaire service over real gRPC."""
