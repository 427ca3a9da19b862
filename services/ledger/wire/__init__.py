"""Protobuf <-> the ledger's orders, facts and answers; and other services' facts, as far as it reads them."""
