"""The event store under kill, suspend and lost connections."""
