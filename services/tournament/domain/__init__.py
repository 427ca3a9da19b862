"""What the tournament service decides, without input, output, clock or chance of its own."""
