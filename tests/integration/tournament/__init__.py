"""The tournament service over real gRPC."""
