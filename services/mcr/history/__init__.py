"""Looking back at closed tables."""
