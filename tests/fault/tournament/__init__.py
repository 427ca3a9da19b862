"""The tournament service killed in the middle of its steps."""
