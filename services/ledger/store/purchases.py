"""Purchases: a receipt brings its jokers once for ever, whichever requests show it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.port import Request, RequestReused
from services.ledger.commands import PostTransfer
from services.ledger.domain.journal import Refusal, holdings
from services.ledger.domain.purchases import PurchaseRefusal, PurchaseTerms, judge, purchase_order
from services.ledger.store.journal import Journal
from services.ledger.store.rows import KeptTransfer, find, lock_balances


class Purchases:
    """Redeems receipts of the shop."""

    def __init__(self, journal: Journal, terms: PurchaseTerms) -> None:
        """Post through the journal what the terms say."""
        self._journal = journal
        self._terms = terms

    async def redeem(
        self, account: UUID, receipt: str, *, now: datetime, request: Request
    ) -> KeptTransfer | PurchaseRefusal | Refusal | RequestReused:
        """Give the jokers of a receipt; shown again, by any request, it gets the first transfer.

        KEY_REUSED: the shop signed another purchase under the same id.
        """

        async def choose(connection: AsyncConnection) -> PostTransfer | PurchaseRefusal:
            purchase = judge(self._terms, receipt, account)
            if isinstance(purchase, PurchaseRefusal):
                return purchase
            order = purchase_order(purchase, now)
            await lock_balances(connection, holdings(order))  # nobody redeems between the look and the entry
            earlier = (await find(connection, [order.key])).transfers.get(order.key)
            return order if earlier is None else replace(order, occurred_at=earlier.transfer.occurred_at)

        return await self._journal.post_chosen(choose, now=now, request=request)
