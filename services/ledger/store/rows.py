"""Rows of transfers, cancelled keys and balances. Every function works inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.ledger.assets import Asset
from services.ledger.domain.cancelling import reversal_key
from services.ledger.domain.journal import Holding
from services.ledger.events import TransferPosted

COLUMNS: Final = tuple(column.name for column in fields(TransferPosted))
VALUES: Final = attrgetter(*COLUMNS)

SELECT_BY_KEY = text(
    # Key by key: planned while the table was small, a scan of the whole would be kept for ever longer tables.
    f"""
    SELECT posted_at, {", ".join(COLUMNS)}
    FROM unnest(CAST(:keys AS text[])) AS asked (wanted)
    CROSS JOIN LATERAL (SELECT * FROM transfer WHERE key = wanted LIMIT 1) AS found
    """  # noqa: S608 our names
)
INSERT_TRANSFERS = text(
    f"""
    INSERT INTO transfer ({", ".join(COLUMNS)}, posted_at)
    SELECT t.*, :posted_at
    FROM unnest(CAST(:key AS text[]), CAST(:asset AS text[]), CAST(:debit AS text[]), CAST(:credit AS text[]),
                CAST(:amount AS bigint[]), CAST(:reason AS text[]), CAST(:occurred_at AS timestamptz[]),
                CAST(:day AS date[]), CAST(:time_zone_data AS text[]), CAST(:cause AS text[]),
                CAST(:reverses AS text[]), CAST(:cup_kind AS text[])) AS t
    ON CONFLICT (key) DO NOTHING
    """  # noqa: S608 our names
)
INSERT_TOMBSTONE = text(
    "INSERT INTO transfer (key, reverses, cup_kind, posted_at) VALUES (:key, NULL, NULL, :at)"
    " ON CONFLICT (key) DO NOTHING"
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
BALANCES_OF = text("SELECT asset, amount FROM balance WHERE account = :account")
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


@dataclass(frozen=True, slots=True)
class KeptTransfer:
    """A transfer, and when it was posted."""

    transfer: TransferPosted
    posted_at: datetime


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A cancelled key: what took its transfer back, or none where nothing was posted; and when."""

    reversal: KeptTransfer | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Found:
    """What is known under some keys. A key whose transfer was taken back stands in both."""

    transfers: Mapping[str, KeptTransfer]
    cancelled: Mapping[str, Cancelled]


async def find(connection: AsyncConnection, keys: Iterable[str]) -> Found:
    """Return what was posted and cancelled under these keys."""
    transfers, tombstones = await _select(connection, keys)
    cancelled = {key: Cancelled(None, at) for key, at in tombstones.items()}
    if transfers:  # most keys are new: then nothing can have taken them back
        reversals, _ = await _select(connection, [reversal_key(key) for key in transfers])
        for kept in reversals.values():
            cancelled[kept.transfer.reverses] = Cancelled(kept, kept.posted_at)
    return Found(transfers, cancelled)


async def _select(
    connection: AsyncConnection, keys: Iterable[str]
) -> tuple[dict[str, KeptTransfer], dict[str, datetime]]:
    rows = (await connection.execute(SELECT_BY_KEY, {"keys": list(keys)})).all()
    transfers = {row.key: kept(row) for row in rows if row.asset is not None}
    return transfers, {row.key: row.posted_at for row in rows if row.asset is None}


def kept(row: Row[Any]) -> KeptTransfer:
    """Return the transfer in a row."""
    values = {name: getattr(row, name) for name in COLUMNS}
    return KeptTransfer(TransferPosted(**{**values, "asset": Asset(row.asset)}), row.posted_at)


async def insert_transfers(
    connection: AsyncConnection, posted: Sequence[TransferPosted], now: datetime
) -> bool:
    """Enter transfers; False when a key was taken since it was looked for.

    Rows go in by the order of their keys, so that two batches never wait for each other crosswise.
    """
    rows = [VALUES(transfer) for transfer in sorted(posted, key=lambda transfer: transfer.key)]
    columns: dict[str, Any] = {
        name: list(values) for name, values in zip(COLUMNS, zip(*rows, strict=True), strict=True)
    }
    inserted = await connection.execute(INSERT_TRANSFERS, {**columns, "posted_at": now})
    return inserted.rowcount == len(rows)


async def insert_tombstone(connection: AsyncConnection, key: str, at: datetime) -> bool:
    """Keep a key from ever being posted; False when it was taken since it was looked for."""
    return (await connection.execute(INSERT_TOMBSTONE, {"key": key, "at": at})).rowcount == 1


async def lock_balances(connection: AsyncConnection, wanted: Iterable[Holding]) -> dict[Holding, int]:
    """Return balances that nobody else moves until the transaction ends; rows are made where absent."""
    ordered = sorted(set(wanted))
    if not ordered:
        return {}
    names = _names(ordered)
    await connection.execute(ENSURE_BALANCES, names)
    rows = await connection.execute(LOCK_BALANCES, names)
    return {Holding(row.account, Asset(row.asset)): row.amount for row in rows}


async def set_balances(connection: AsyncConnection, balances: Mapping[Holding, int]) -> None:
    """Store locked balances."""
    if balances:
        values = {**_names(balances), "amounts": list(balances.values())}
        await connection.execute(SET_BALANCES, values)


async def balances_of(connection: AsyncConnection, account: str) -> dict[Asset, int]:
    """Return what a player's ledger account holds of each asset with a row."""
    rows = await connection.execute(BALANCES_OF, {"account": account})
    return {Asset(row.asset): row.amount for row in rows}


async def page_of_transfers(
    connection: AsyncConnection, account: str, *, below: int, limit: int
) -> list[tuple[int, KeptTransfer]]:
    """Return an account's transfers below an ordinal, newest first, each with its ordinal."""
    values = {"account": account, "below": below, "limit": limit}
    return [(row.ordinal, kept(row)) for row in await connection.execute(PAGE_OF_TRANSFERS, values)]


def _names(balances: Iterable[Holding]) -> dict[str, list[str]]:
    ordered = list(balances)
    return {
        "accounts": [holding.account for holding in ordered],
        "assets": [holding.asset.value for holding in ordered],
    }
