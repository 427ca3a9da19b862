"""`sparrow ledger` and `sparrow replay`: boards built anew, proved, compared. For operators."""
