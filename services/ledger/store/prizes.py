"""Prizes of tournaments: paid and taken back beside a checkpoint, and what a player has of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import date, datetime
from typing import Final
from uuid import UUID

from sqlalchemy import text

from libs.eventstore.port import Appended, EventStore, Transaction
from services.ledger.commands import PostTransfer, PrizeStep
from services.ledger.domain.journal import Refusal, holdings
from services.ledger.domain.prizes import settle
from services.ledger.events import TransferCancelled, TransferPosted
from services.ledger.store.journal import RACES_MAX, RacedError, append_of
from services.ledger.store.rows import (
    find,
    insert_tombstone,
    insert_transfers,
    lock_balances,
    set_balances,
)

Refusals = tuple[Refusal | None, ...]
"""Why each step was refused, in order; None where it was not."""
Beside = Callable[[Transaction, Refusals], Awaitable[None]]
"""What shares the transaction: a consumer's checkpoint and parked facts."""

_SIDES: Final = """
    SELECT {columns}, amount FROM transfer WHERE {rows} AND credit = :account AND credit LIKE 'players/%'
    UNION ALL
    SELECT {columns}, -amount FROM transfer WHERE {rows} AND debit = :account AND debit LIKE 'players/%'
"""
PRIZE_POINTS: Final = text(
    f"""
    SELECT coalesce(sum(amount), 0)::bigint FROM (
        {_SIDES.format(columns="day", rows="asset = 'POINTS' AND reason = 'TOURNAMENT_PRIZE'")}
    ) AS moved WHERE day BETWEEN :first_day AND :last_day
    """  # noqa: S608 ours
)
CUPS: Final = text(
    f"""
    SELECT cup_kind, sum(amount)::bigint AS amount FROM (
        {_SIDES.format(columns="cup_kind", rows="asset = 'CUP'")}
    ) AS moved GROUP BY cup_kind HAVING sum(amount) > 0 ORDER BY cup_kind
    """  # noqa: S608 ours
)


class Prizes:
    """Settles prizes, and tells of them from the journal's rows: what is committed counts at once."""

    def __init__(self, store: EventStore) -> None:
        """Keep the store; rows share its transactions."""
        self._store = store

    async def settle(
        self, steps: Sequence[PrizeStep], *, now: datetime, caller: UUID, beside: Beside
    ) -> None:
        """Do what steps order and run `beside` in the same transaction."""
        for _ in range(RACES_MAX):
            try:
                async with self._store.transaction() as transaction:
                    refusals = await _settle(transaction, steps, now, caller)
                    await beside(transaction, refusals)
            except RacedError:
                continue
            return
        raise RuntimeError(f"keys of one batch were posted by others {RACES_MAX} times in a row")

    async def points(self, account: str, first_day: date, last_day: date) -> int:
        """Return the points a ledger account received as prizes of these days; revoked ones are out."""
        values = {"account": account, "first_day": first_day, "last_day": last_day}
        async with self._store.transaction() as transaction:
            points: int = (await transaction.connection.execute(PRIZE_POINTS, values)).scalar_one()
            return points

    async def cups(self, account: str) -> dict[str, int]:
        """Return how many cups of each kind a ledger account has; kinds without one are absent."""
        async with self._store.transaction() as transaction:
            rows = await transaction.connection.execute(CUPS, {"account": account})
            return {row.cup_kind: row.amount for row in rows}


async def _settle(
    transaction: Transaction, steps: Sequence[PrizeStep], now: datetime, caller: UUID
) -> Refusals:
    """Store what steps do. Raises RacedError: leave the transaction."""
    connection = transaction.connection
    orders = [step if isinstance(step, PostTransfer) else step.order for step in steps]
    balances = await lock_balances(connection, (holding for order in orders for holding in holdings(order)))
    found = await find(connection, {order.key for order in orders})
    transfers = {key: each.transfer for key, each in found.transfers.items()}
    settled = settle(steps, transfers, balances, found.cancelled, now)
    posted = [fact for fact in settled.facts if isinstance(fact, TransferPosted)]
    if posted and not await insert_transfers(connection, posted, now):
        raise RacedError
    for fact in settled.facts:
        if isinstance(fact, TransferCancelled) and not await insert_tombstone(connection, fact.key, now):
            raise RacedError
    await set_balances(connection, settled.balances)
    if settled.facts:
        appends = [append_of(fact) for fact in settled.facts]
        appended = await transaction.append(appends, recorded_at=now, caller=caller)
        if not isinstance(appended, Appended):
            raise RacedError
    return settled.refusals
