"""The ledger: the journal of transfers, balances, daily bonuses, and the boards folded from the journal.

Owns the schema `ledger`. Streams: one per transfer (one `TransferPosted`), one per key that was cancelled
before it was posted (one `TransferCancelled`), one per Romanian day (one `LedgerDayClosed`); all in the part
`facts`. Follows the feed (match, facts). Subjects: the relay publishes `sparrow.evt.ledger.facts.>`;
`sparrow.wake.ledger` wakes the board projector.
"""
