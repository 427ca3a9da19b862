"""The ledger: the journal of transfers, balances, and the boards folded from them.

Owns the schema `ledger`. Streams: one per transfer (one `TransferPosted`), one per Romanian day
(one `LedgerDayClosed`); both in the part `facts`. Follows the feed (match, facts). Subjects: the relay
publishes `sparrow.evt.ledger.facts.>`; `sparrow.wake.ledger` wakes the board projector.
"""
