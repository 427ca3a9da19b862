"""Property tests of the ledger."""
