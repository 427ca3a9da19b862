"""The daily bonus: the row of a player's streak and the transfers it pays, in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.faults import fault
from libs.eventstore.port import EventStore, Repeated, Request, RequestReused, Transaction
from services.ledger.commands import PostTransfer
from services.ledger.domain.bonus import (
    BonusRefusal,
    BonusState,
    Claimed,
    NeverClaimed,
    claim,
    claim_orders,
    double,
    doubling_orders,
)
from services.ledger.domain.calendar import ledger_day
from services.ledger.domain.doubling import DoublingTerms, is_earned
from services.ledger.events import TransferPosted
from services.ledger.store.journal import RACES_MAX, RacedError, intake
from services.ledger.store.rows import KeptTransfer, find

SELECT_STREAK = text("SELECT day, streak, is_doubled FROM daily_streak WHERE account = :account")
SET_STREAK = text(
    """
    INSERT INTO daily_streak (account, day, streak, is_doubled) VALUES (:account, :day, :streak, :is_doubled)
    ON CONFLICT (account) DO UPDATE
    SET day = excluded.day, streak = excluded.streak, is_doubled = excluded.is_doubled
    """
)

Verdict = Callable[[BonusState, date], Claimed | BonusRefusal]
Orders = Callable[[UUID, Claimed, datetime], tuple[PostTransfer, ...]]


@dataclass(frozen=True, slots=True)
class Paid:
    """What a claim or a doubling paid, and on which day of the streak."""

    streak: int
    transfers: tuple[KeptTransfer, ...]


class Bonuses:
    """Pays daily bonuses: each day's once, doubled once, however many ask at once."""

    def __init__(self, store: EventStore, terms: DoublingTerms) -> None:
        """Keep the store, and what earns a doubling."""
        self._store = store
        self.terms = terms

    async def state(self, account: UUID) -> BonusState:
        """Return the last claim of a player."""
        async with self._store.transaction() as transaction:
            return await _read(transaction.connection, account)

    async def claim(
        self, account: UUID, *, now: datetime, request: Request
    ) -> Paid | BonusRefusal | RequestReused:
        """Pay today's bonus; a repeat of the request gets the first answer."""
        return await self._once(account, now, request, claim, claim_orders)

    async def double(
        self, account: UUID, receipt: str, *, now: datetime, request: Request
    ) -> Paid | BonusRefusal | RequestReused:
        """Pay the points of today's bonus again; a repeat of the request gets the first answer."""

        def verdict(state: BonusState, today: date) -> Claimed | BonusRefusal:
            doubled = double(state, today)
            if isinstance(doubled, Claimed) and not is_earned(self.terms, receipt, account, today):
                return BonusRefusal.RECEIPT_INVALID
            return doubled

        return await self._once(account, now, request, verdict, doubling_orders)

    async def _once(
        self, account: UUID, now: datetime, request: Request, verdict: Verdict, orders: Orders
    ) -> Paid | BonusRefusal | RequestReused:
        for _ in range(RACES_MAX):
            earlier = await self._store.find_request(request.caller, request.request_id)
            if earlier is not None:
                return await self._repeat(earlier, request)
            try:
                async with self._store.transaction() as transaction:
                    outcome = await _pay(transaction, account, now, request, verdict, orders)
            except RacedError:
                continue
            if isinstance(outcome, BonusRefusal):
                # Unless a copy of this very request was accepted meanwhile.
                earlier = await self._store.find_request(request.caller, request.request_id)
                return outcome if earlier is None else await self._repeat(earlier, request)
            fault("bonus.committed")
            return outcome
        raise RuntimeError(f"the bonus of {account} was raced {RACES_MAX} times in a row")

    async def _repeat(self, earlier: Repeated, request: Request) -> Paid | RequestReused:
        if earlier.sha256 != request.sha256:
            return RequestReused()
        assert earlier.reply is not None, "every paid bonus keeps its streak and keys as its reply"
        streak, *keys = earlier.reply.decode().split()
        async with self._store.transaction() as transaction:
            found = (await find(transaction.connection, keys)).transfers
        return Paid(int(streak), tuple(found[key] for key in keys))


async def _pay(
    transaction: Transaction, account: UUID, now: datetime, request: Request, verdict: Verdict, orders: Orders
) -> Paid | BonusRefusal:
    await transaction.lock(f"daily/{account}")  # a first claim has no row to lock
    claimed = verdict(await _read(transaction.connection, account), ledger_day(now))
    if isinstance(claimed, BonusRefusal):
        await transaction.rollback()
        return claimed
    paying = orders(account, claimed, now)
    reply = " ".join([str(claimed.streak), *(order.key for order in paying)]).encode()
    await transaction.connection.execute(
        SET_STREAK,
        {
            "account": account,
            "day": claimed.day,
            "streak": claimed.streak,
            "is_doubled": claimed.is_doubled,
        },
    )
    outcomes = await intake(transaction, paying, now=now, caller=request.caller, request=request, reply=reply)
    posted = [outcome for outcome in outcomes if isinstance(outcome, TransferPosted)]
    assert len(posted) == len(paying), f"the streak of {account} and its keys disagree: {outcomes}"
    fault("bonus.rows_in")
    return Paid(claimed.streak, tuple(KeptTransfer(transfer, now) for transfer in posted))


async def _read(connection: AsyncConnection, account: UUID) -> BonusState:
    row = (await connection.execute(SELECT_STREAK, {"account": account})).one_or_none()
    return NeverClaimed() if row is None else Claimed(row.day, row.streak, row.is_doubled)
