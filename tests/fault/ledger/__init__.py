"""The ledger's process, killed where it hurts."""
