"""The journal: transfers, balances and their events, in one transaction with whatever stands beside them.

Order of locks, the same in every intake: balance rows by (account, asset), transfer keys, the request.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventsourcing.ids import derived_id
from libs.eventstore.port import (
    Appended,
    EventStore,
    Repeated,
    Request,
    RequestReused,
    StreamAppend,
    Transaction,
)
from services.ledger.assets import Asset
from services.ledger.commands import PostTransfer
from services.ledger.domain.journal import Existing, Holding, Outcome, Refusal, decide, holdings
from services.ledger.events import TransferPosted
from services.ledger.wire import encode

RACES_MAX: Final = 5
COLUMNS: Final = tuple(column.name for column in fields(TransferPosted))

SELECT_BY_KEY = text(
    f"SELECT posted_at, {', '.join(COLUMNS)} FROM transfer WHERE key = ANY(CAST(:keys AS text[]))"  # noqa: S608 our names
)
INSERT_TRANSFERS = text(
    f"""
    INSERT INTO transfer ({", ".join(COLUMNS)}, posted_at)
    SELECT t.*, :posted_at
    FROM unnest(CAST(:key AS text[]), CAST(:asset AS text[]), CAST(:debit AS text[]), CAST(:credit AS text[]),
                CAST(:amount AS bigint[]), CAST(:reason AS text[]), CAST(:occurred_at AS timestamptz[]),
                CAST(:day AS date[]), CAST(:time_zone_data AS text[]), CAST(:cause AS text[])) AS t
    ON CONFLICT (key) DO NOTHING
    """  # noqa: S608 our names
)
ENSURE_BALANCES = text(
    """
    INSERT INTO balance (account, asset, amount)
    SELECT w.account, w.asset, 0
    FROM unnest(CAST(:accounts AS text[]), CAST(:assets AS text[])) AS w (account, asset)
    ON CONFLICT (account, asset) DO NOTHING
    """
)
LOCK_BALANCES = text(
    """
    SELECT b.account, b.asset, b.amount FROM balance b
    JOIN unnest(CAST(:accounts AS text[]), CAST(:assets AS text[])) AS w (account, asset)
        USING (account, asset)
    ORDER BY b.account, b.asset FOR UPDATE OF b
    """
)
SET_BALANCES = text(
    """
    UPDATE balance b SET amount = n.amount
    FROM unnest(CAST(:accounts AS text[]), CAST(:assets AS text[]), CAST(:amounts AS bigint[]))
         AS n (account, asset, amount)
    WHERE b.account = n.account AND b.asset = n.asset
    """
)
PAGE_OF_TRANSFERS = text(
    f"""
    SELECT ordinal, posted_at, {", ".join(COLUMNS)} FROM (
        (SELECT * FROM transfer WHERE debit = :account AND debit LIKE 'players/%' AND ordinal < :below
         ORDER BY ordinal DESC LIMIT :limit)
        UNION ALL
        (SELECT * FROM transfer WHERE credit = :account AND credit LIKE 'players/%' AND ordinal < :below
         ORDER BY ordinal DESC LIMIT :limit)
    ) AS both_sides ORDER BY ordinal DESC LIMIT :limit
    """  # noqa: S608 our names
)

Beside = Callable[[Transaction, Sequence[Outcome]], Awaitable[None]]
"""What shares the transaction of an intake: a consumer's checkpoint and parked facts."""


@dataclass(frozen=True, slots=True)
class KeptTransfer:
    """A transfer, and when it was posted."""

    transfer: TransferPosted
    posted_at: datetime


class _RacedError(Exception):
    """Another transaction posted one of the keys, or used the request, since they were read."""


class Journal:
    """Posts orders, each key once for ever."""

    def __init__(self, store: EventStore) -> None:
        """Keep the store; rows share its transactions."""
        self._store = store

    async def post(
        self, orders: Sequence[PostTransfer], *, now: datetime, caller: UUID, beside: Beside
    ) -> tuple[Outcome, ...]:
        """Post a batch and run `beside` in the same transaction; an outcome per order, in order."""
        for _ in range(RACES_MAX):
            try:
                async with self._store.transaction() as transaction:
                    outcomes = await self._intake(transaction, orders, now, caller, None)
                    await beside(transaction, outcomes)
                    return outcomes
            except _RacedError:
                continue
        raise RuntimeError(f"keys of one batch were posted by others {RACES_MAX} times in a row")

    async def post_command(
        self, order: PostTransfer, *, now: datetime, request: Request
    ) -> KeptTransfer | Refusal | RequestReused:
        """Post one order of a caller, repeat-safe by request and by key: a repeat gets the first transfer.

        Refusals are not remembered.
        """
        for _ in range(RACES_MAX):
            earlier = await self._store.find_request(request.caller, request.request_id)
            if earlier is not None:
                return await self._repeat(earlier, request)
            try:
                async with self._store.transaction() as transaction:
                    (outcome,) = await self._intake(transaction, [order], now, request.caller, request)
                    match outcome:
                        case TransferPosted():
                            return KeptTransfer(outcome, now)
                        case Refusal():
                            await transaction.rollback()
                            return outcome
                        case Existing():
                            await _keep_key(transaction, request, order.key, now)
                            return (await _find(transaction.connection, [order.key]))[order.key]
            except _RacedError:
                continue
        raise RuntimeError(f"key {order.key} was posted by others {RACES_MAX} times in a row")

    async def page(self, account: str, *, below: int, limit: int) -> list[tuple[int, KeptTransfer]]:
        """Return an account's transfers below an ordinal, newest first, each with its ordinal."""
        async with self._store.transaction() as transaction:
            rows = await transaction.connection.execute(
                PAGE_OF_TRANSFERS, {"account": account, "below": below, "limit": limit}
            )
            return [(row.ordinal, _kept(row)) for row in rows]

    async def _repeat(self, earlier: Repeated, request: Request) -> KeptTransfer | RequestReused:
        if earlier.sha256 != request.sha256:
            return RequestReused()
        assert earlier.reply is not None, "every posted command keeps its key as its reply"
        key = earlier.reply.decode()
        async with self._store.transaction() as transaction:
            return (await _find(transaction.connection, [key]))[key]

    async def _intake(
        self,
        transaction: Transaction,
        orders: Sequence[PostTransfer],
        now: datetime,
        caller: UUID,
        request: Request | None,
    ) -> tuple[Outcome, ...]:
        connection = transaction.connection
        balances = await _lock_balances(connection, orders)
        kept = await _find(connection, [order.key for order in orders])
        decided = decide(orders, {key: each.transfer for key, each in kept.items()}, balances)
        posted = [outcome for outcome in decided.outcomes if isinstance(outcome, TransferPosted)]
        if not posted:
            return decided.outcomes
        await _insert(connection, posted, now)
        await _set_balances(connection, decided.balances)
        appended = await transaction.append(
            [_append_of(transfer) for transfer in posted],
            recorded_at=now,
            caller=caller,
            request=request,
            reply=posted[0].key.encode() if request is not None else None,
        )
        if not isinstance(appended, Appended):
            raise _RacedError
        return decided.outcomes


def _append_of(transfer: TransferPosted) -> StreamAppend:
    stream_id = derived_id(transfer.occurred_at, "transfer", transfer.key)
    return StreamAppend(stream_id, 0, (encode(transfer, transfer.occurred_at),))


async def _keep_key(transaction: Transaction, request: Request, key: str, now: datetime) -> None:
    """Remember which transfer answers this request."""
    if await transaction.keep_reply(request, key.encode(), at=now) is not None:
        raise _RacedError


async def _insert(connection: AsyncConnection, posted: Sequence[TransferPosted], now: datetime) -> None:
    """Insert rows in the order of their keys, so that two batches never wait for each other crosswise."""
    rows = [astuple(transfer) for transfer in sorted(posted, key=lambda transfer: transfer.key)]
    columns: dict[str, Any] = {
        name: list(values) for name, values in zip(COLUMNS, zip(*rows, strict=True), strict=True)
    }
    inserted = await connection.execute(INSERT_TRANSFERS, {**columns, "posted_at": now})
    if inserted.rowcount != len(rows):
        raise _RacedError


async def _lock_balances(connection: AsyncConnection, orders: Sequence[PostTransfer]) -> dict[Holding, int]:
    wanted = sorted({holding for order in orders for holding in holdings(order)})
    if not wanted:
        return {}
    names = {
        "accounts": [holding.account for holding in wanted],
        "assets": [holding.asset.value for holding in wanted],
    }
    await connection.execute(ENSURE_BALANCES, names)
    rows = await connection.execute(LOCK_BALANCES, names)
    return {Holding(row.account, Asset(row.asset)): row.amount for row in rows}


async def _set_balances(connection: AsyncConnection, balances: Mapping[Holding, int]) -> None:
    if balances:
        await connection.execute(
            SET_BALANCES,
            {
                "accounts": [holding.account for holding in balances],
                "assets": [holding.asset.value for holding in balances],
                "amounts": list(balances.values()),
            },
        )


async def _find(connection: AsyncConnection, keys: Sequence[str]) -> dict[str, KeptTransfer]:
    rows = await connection.execute(SELECT_BY_KEY, {"keys": list(keys)})
    return {row.key: _kept(row) for row in rows}


def _kept(row: Row[Any]) -> KeptTransfer:
    values = {name: getattr(row, name) for name in COLUMNS}
    return KeptTransfer(TransferPosted(**{**values, "asset": Asset(row.asset)}), row.posted_at)
