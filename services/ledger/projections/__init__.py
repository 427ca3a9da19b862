"""The boards as tables: the projector that folds the ledger's own feed into them, and the readers."""
