"""Daily chips: what a claim brings is counted under the lock of the balance it tops up."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.port import Request, RequestReused
from services.ledger.assets import Asset, player_account
from services.ledger.commands import PostTransfer
from services.ledger.domain.calendar import ledger_day
from services.ledger.domain.chips import ChipsRefusal, Stock, chips_key, top_up, welcome_key
from services.ledger.domain.journal import Holding, Refusal
from services.ledger.store.journal import Journal
from services.ledger.store.rows import KeptTransfer, find, lock_balances


class Chips:
    """Tops chips up: once a Romanian day, however many ask at once and whatever is spent meanwhile."""

    def __init__(self, journal: Journal) -> None:
        """Post through the journal."""
        self._journal = journal

    async def claim(
        self, account: UUID, *, now: datetime, request: Request
    ) -> KeptTransfer | ChipsRefusal | Refusal | RequestReused:
        """Top up to 200; a repeat of the request gets the first answer."""

        async def choose(connection: AsyncConnection) -> PostTransfer | ChipsRefusal:
            chips = Holding(player_account(account), Asset.CHIP)
            held = (await lock_balances(connection, [chips]))[chips]
            welcome, todays = welcome_key(account), chips_key(account, ledger_day(now))
            posted = (await find(connection, [welcome, todays])).transfers
            return top_up(account, Stock(held, welcome in posted, todays in posted), now)

        return await self._journal.post_chosen(choose, now=now, request=request)
