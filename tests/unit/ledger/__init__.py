"""Unit tests of the ledger."""
