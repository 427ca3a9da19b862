"""The revisions of the `ledger` schema."""
