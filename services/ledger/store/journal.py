"""The journal: transfers, balances and their events, in one transaction with whatever stands beside them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeVar
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventsourcing.ids import derived_id
from libs.eventstore.checkpoint import set_aside
from libs.eventstore.faults import fault
from libs.eventstore.port import (
    Appended,
    EventStore,
    Repeated,
    Request,
    RequestReused,
    StreamAppend,
    Transaction,
)
from libs.telemetry.meter import NO_METER, Meter
from services.ledger.assets import Asset
from services.ledger.commands import PostTransfer
from services.ledger.domain.cancelling import Posted, Unused, cancel
from services.ledger.domain.journal import (
    Existing,
    Outcome,
    Refusal,
    balances_after,
    decide,
    holdings,
)
from services.ledger.events import TransferCancelled, TransferPosted
from services.ledger.store.rows import (
    Cancelled,
    Found,
    KeptTransfer,
    balances_of,
    find,
    insert_tombstone,
    insert_transfers,
    lock_balances,
    page_of_transfers,
    set_balances,
)
from services.ledger.wire.events import encode

RACES_MAX: Final = 5

Beside = Callable[[Transaction, Sequence[Outcome]], Awaitable[None]]
"""What shares the transaction of an intake: a consumer's checkpoint and parked facts."""


log = structlog.get_logger(__name__)

R = TypeVar("R", bound=StrEnum)

Choose = Callable[[AsyncConnection], Awaitable[PostTransfer | R]]
"""Chooses an order, or refuses, by what it reads and locks in the transaction that posts it."""


class RacedError(Exception):
    """Another transaction took one of the keys, or used the request, since they were read."""


class Journal:
    """Posts orders, each key once for ever, and cancels keys."""

    def __init__(self, store: EventStore, meter: Meter = NO_METER) -> None:
        """Keep the store; rows share its transactions."""
        self._store = store
        self._duplicates = meter.counter(
            "sparrow_ledger_duplicates_total", "Orders whose key was posted before: nothing was posted twice."
        )
        self._reused = meter.counter(
            "sparrow_ledger_keys_reused_total", "Orders refused: their key was posted with other contents."
        )

    async def post(
        self, orders: Sequence[PostTransfer], *, now: datetime, caller: UUID, beside: Beside
    ) -> tuple[Outcome, ...]:
        """Post a batch and run `beside` in the same transaction; an outcome per order, in order."""
        for _ in range(RACES_MAX):
            try:
                async with self._store.transaction() as transaction:
                    outcomes = await intake(transaction, orders, now=now, caller=caller)
                    await beside(transaction, outcomes)
            except RacedError:
                continue
            self._duplicates.inc(sum(isinstance(outcome, Existing) for outcome in outcomes))
            for order, outcome in zip(orders, outcomes, strict=True):
                if outcome is Refusal.KEY_REUSED:
                    self._say_reused(order)
            return outcomes
        raise RuntimeError(f"keys of one batch were posted by others {RACES_MAX} times in a row")

    async def post_command(
        self, order: PostTransfer, *, now: datetime, request: Request
    ) -> KeptTransfer | Refusal | RequestReused:
        """Post one order of a caller, repeat-safe by request and by key: a repeat gets the first transfer.

        Once the key was cancelled, a repeat as well is refused. Refusals are not remembered; a key that comes
        with other contents is set aside for an operator.
        """

        async def choose(_connection: AsyncConnection) -> PostTransfer | Refusal:
            return order

        return await self.post_chosen(choose, now=now, request=request)

    async def post_chosen(
        self, choose: Choose[R], *, now: datetime, request: Request
    ) -> KeptTransfer | R | Refusal | RequestReused:
        """Post the order that `choose` returns, as `post_command` does, or refuse as it does.

        `choose` takes locks in the order that this package lays down, and may be called several times.
        """
        for _ in range(RACES_MAX):
            earlier = await self._store.find_request(request.caller, request.request_id)
            if earlier is not None:
                self._duplicates.inc()
                return await self._repeat(earlier, request)
            try:
                outcome, is_new = await self._post_one(choose, now, request)
            except RacedError:
                continue
            if not isinstance(outcome, KeptTransfer):
                # Unless a copy of this very request was accepted meanwhile.
                earlier = await self._store.find_request(request.caller, request.request_id)
                return outcome if earlier is None else await self._repeat(earlier, request)
            fault("transfer.committed")
            self._duplicates.inc(not is_new)
            return outcome
        raise RuntimeError(f"an order of {request.caller} was posted by others {RACES_MAX} times in a row")

    async def cancel_command(
        self, key: str, *, now: datetime, request: Request
    ) -> Cancelled | Refusal | RequestReused:
        """Cancel a key of a caller, repeat-safe by request and by key: a repeat gets the first answer."""
        for _ in range(RACES_MAX):
            earlier = await self._store.find_request(request.caller, request.request_id)
            if earlier is not None:
                return RequestReused() if earlier.sha256 != request.sha256 else await self._cancelled(key)
            try:
                async with self._store.transaction() as transaction:
                    outcome = await _cancel(transaction, key, now, request)
            except RacedError:
                continue
            if isinstance(outcome, Cancelled):
                fault("cancel.committed")
            return outcome
        raise RuntimeError(f"key {key} was posted or cancelled by others {RACES_MAX} times in a row")

    async def page(self, account: str, *, below: int, limit: int) -> list[tuple[int, KeptTransfer]]:
        """Return an account's transfers below an ordinal, newest first, each with its ordinal."""
        async with self._store.transaction() as transaction:
            return await page_of_transfers(transaction.connection, account, below=below, limit=limit)

    async def balances(self, account: str) -> dict[Asset, int]:
        """Return what a player's ledger account holds; an asset that never moved is absent."""
        async with self._store.transaction() as transaction:
            return await balances_of(transaction.connection, account)

    async def _post_one(
        self, choose: Choose[R], now: datetime, request: Request
    ) -> tuple[KeptTransfer | R | Refusal, bool]:
        """Return the outcome, and whether it was not there before."""
        async with self._store.transaction() as transaction:
            order = await choose(transaction.connection)
            if not isinstance(order, PostTransfer):
                await transaction.rollback()
                return order, True
            (outcome,) = await intake(
                transaction,
                [order],
                now=now,
                caller=request.caller,
                request=request,
                reply=order.key.encode(),
            )
            match outcome:
                case TransferPosted():
                    fault("transfer.rows_in")
                    return KeptTransfer(outcome, now), True
                case Refusal():
                    await transaction.rollback()
                case Existing():
                    await _keep_key(transaction, request, order.key, now)
                    return (await find(transaction.connection, [order.key])).transfers[order.key], False
        if outcome is Refusal.KEY_REUSED:
            self._say_reused(order)
            async with self._store.transaction() as transaction:
                who, reason = f"order {order.key}", f"{outcome}: {order.reason}, {order.amount} {order.asset}"
                sides = f" from {order.debit} to {order.credit}"
                await set_aside(transaction.connection, who, "PostTransfer", reason + sides, now)
        return outcome, True

    def _say_reused(self, order: PostTransfer) -> None:
        self._reused.inc()
        log.error("ledger.key_reused", asset=order.asset.value, order_reason=order.reason)

    async def _repeat(self, earlier: Repeated, request: Request) -> KeptTransfer | Refusal | RequestReused:
        if earlier.sha256 != request.sha256:
            return RequestReused()
        assert earlier.reply is not None, "every posted command keeps its key as its reply"
        key = earlier.reply.decode()
        found = await self._find(key)
        return Refusal.KEY_CANCELLED if key in found.cancelled else found.transfers[key]

    async def _cancelled(self, key: str) -> Cancelled:
        return (await self._find(key)).cancelled[key]

    async def _find(self, key: str) -> Found:
        async with self._store.transaction() as transaction:
            return await find(transaction.connection, [key])


async def intake(
    transaction: Transaction,
    orders: Sequence[PostTransfer],
    *,
    now: datetime,
    caller: UUID,
    request: Request | None = None,
    reply: bytes | None = None,
) -> tuple[Outcome, ...]:
    """Judge orders and store those that become transfers. Raises RacedError: leave the transaction.

    `request` and `reply` are remembered where something is posted.
    """
    connection = transaction.connection
    balances = await lock_balances(connection, (holding for order in orders for holding in holdings(order)))
    found = await find(connection, [order.key for order in orders])
    transfers = {key: each.transfer for key, each in found.transfers.items()}
    decided = decide(orders, transfers, balances, found.cancelled)
    posted = [outcome for outcome in decided.outcomes if isinstance(outcome, TransferPosted)]
    if not posted:
        return decided.outcomes
    if not await insert_transfers(connection, posted, now):
        raise RacedError
    await set_balances(connection, decided.balances)
    appended = await transaction.append(
        [append_of(transfer) for transfer in posted],
        recorded_at=now,
        caller=caller,
        request=request,
        reply=reply,
    )
    if not isinstance(appended, Appended):
        raise RacedError
    return decided.outcomes


async def _cancel(transaction: Transaction, key: str, now: datetime, request: Request) -> Cancelled | Refusal:
    connection = transaction.connection
    found = await find(connection, [key])
    balances = {}
    if key in found.transfers and key not in found.cancelled:
        balances = await lock_balances(connection, holdings(found.transfers[key].transfer))
        found = await find(connection, [key])  # while this waited it may have been taken back
    if key in found.cancelled:
        await _keep_key(transaction, request, key, now)
        return found.cancelled[key]
    posted = found.transfers.get(key)
    fact = cancel(key, Posted(posted.transfer) if posted else Unused(), balances, now)
    if isinstance(fact, Refusal):
        await transaction.rollback()
        return fact
    if isinstance(fact, TransferPosted):
        is_in = await insert_transfers(connection, [fact], now)
        await set_balances(connection, balances_after(fact, balances))
    else:
        is_in = await insert_tombstone(connection, key, now)
    if not is_in:
        raise RacedError
    appended = await transaction.append(
        [append_of(fact)], recorded_at=now, caller=request.caller, request=request, reply=key.encode()
    )
    if not isinstance(appended, Appended):
        raise RacedError
    fault("cancel.rows_in")
    return Cancelled(KeptTransfer(fact, now) if isinstance(fact, TransferPosted) else None, now)


def append_of(fact: TransferPosted | TransferCancelled) -> StreamAppend:
    """Return the stream that a fact is: one for each key, and one for each cancelled key."""
    match fact:
        case TransferPosted(key=key, occurred_at=at):
            return StreamAppend(derived_id(at, "transfer", key), 0, (encode(fact, at),))
        case TransferCancelled(key, at):
            return StreamAppend(derived_id(at, "cancelled key", key), 0, (encode(fact, at),))


async def _keep_key(transaction: Transaction, request: Request, key: str, now: datetime) -> None:
    """Remember which key answers this request."""
    if await transaction.keep_reply(request, key.encode(), at=now) is not None:
        raise RacedError
