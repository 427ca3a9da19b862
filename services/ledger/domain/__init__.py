"""What the ledger decides: days, windows, intake, the fold of the boards, ranks. Pure."""
