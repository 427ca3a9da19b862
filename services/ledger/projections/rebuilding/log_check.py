"""The log against itself and the journal: chain, completeness, a row of the journal for each event."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

from libs.eventsourcing.envelope import FeedEntry
from libs.eventsourcing.ids import derived_id
from libs.eventstore.chain import CHAIN_START, Broken, verify_feed
from libs.eventstore.postgres.feed import READ
from libs.eventstore.postgres.rows import to_feed_entry
from services.ledger.events import TransferCancelled, TransferPosted
from services.ledger.projections.generations import Connection
from services.ledger.projections.rebuilding.builder import Report
from services.ledger.projections.rebuilding.differences import Fault, Faults
from services.ledger.projections.rebuilding.quick_check import CONTENTS, QuickCheck
from services.ledger.wire.events import decode

CHECKING: Final = "chain and transfers"
CHUNK: Final = 4_000
contents: Final = attrgetter(*CONTENTS)
HEAD: Final = "SELECT last_seq, chain FROM feed_head WHERE part = 1"
UNPLACED: Final = """
    SELECT (SELECT count(*) FROM event_facts) - (SELECT count(*) FROM feed WHERE part = 1)
         - (SELECT count(*) FROM outbox WHERE part = 1)
"""
ROWS: Final = f"SELECT posted_at, {', '.join(CONTENTS)} FROM transfer WHERE key = ANY($1::text[])"  # noqa: S608 ours
TOTAL: Final = """
    SELECT (SELECT count(*) FROM transfer), (SELECT count(*) FROM outbox WHERE part = 1)
"""
ALL_KEYS: Final = (
    "SELECT key, coalesce(occurred_at, posted_at) AS at, asset IS NULL AS cancelled FROM transfer"
)
KNOWN: Final = "SELECT stream_id FROM stream WHERE stream_id = ANY($1::uuid[])"
BALANCES: Final = """
    WITH sides AS (
        SELECT credit AS account, asset, amount::numeric FROM transfer WHERE asset IN ('JOKER', 'CHIP')
        UNION ALL
        SELECT debit, asset, -amount FROM transfer WHERE asset IN ('JOKER', 'CHIP')
    ), sums AS (
        SELECT account, asset, sum(amount) AS amount FROM sides WHERE account LIKE 'players/%' GROUP BY 1, 2
    )
    SELECT account, asset, coalesce(b.amount, 0)::text, coalesce(s.amount, 0)::text
    FROM balance b FULL JOIN sums s USING (account, asset)
    WHERE coalesce(b.amount, 0) <> coalesce(s.amount, 0) ORDER BY 1, 2
"""
SUMS: Final = """
    SELECT asset, sum(amount)::text FROM (
        SELECT asset, credit, sum(amount) AS amount FROM transfer WHERE asset IS NOT NULL GROUP BY 1, 2
        UNION ALL
        SELECT asset, debit, -sum(amount) FROM transfer WHERE asset IS NOT NULL GROUP BY 1, 2
    ) AS accounts GROUP BY asset HAVING sum(amount) <> 0
"""


@dataclass(frozen=True, slots=True)
class Read:
    """How much was read."""

    events: int
    transfers: int
    whole_to: int  # the last event before the first gap


class LogCheck:
    """One check, in the snapshot of its connection."""

    def __init__(self, connection: Connection, quick: QuickCheck, faults: Faults, report: Report) -> None:
        """Read over a connection that has datetimes what is not right at once; add what is to `faults`."""
        self._connection = connection
        self._quick = quick
        self._faults = faults
        self._report = report
        self._posted = 0
        self._whole_to = 0

    async def run(self) -> Read:
        """Check everything."""
        head = await self._connection.fetchrow(HEAD)
        assert head is not None
        last, chain = await self._take_quickly(head["last_seq"])
        while rows := await self._connection.fetch(READ, 1, last + 1, last + CHUNK, CHUNK):
            entries = [to_feed_entry(row) for row in rows]
            self._check_chain(entries, last, chain)
            for entry in entries:
                self._whole_to += entry.seq == self._whole_to + 1
            await self._check_transfers(entries)
            last, chain = await self._take_quickly(head["last_seq"], entries[-1].seq, entries[-1].chain)
        if (last, chain) != tuple(head):
            self._faults.add(Fault("chain", seq=head["last_seq"], name="the head is not the end of the feed"))
        if missing := await self._connection.fetchval(UNPLACED):
            self._faults.add(Fault("chain", name="events have no place in the feed", stored=str(missing)))
        transfers, pending = await self._connection.fetchrow(TOTAL) or (0, 0)
        if transfers > self._posted and pending == 0:
            await self._name_unlogged()
        return Read(last, transfers, self._whole_to)

    async def _take_quickly(self, end: int, last: int = 0, chain: bytes = CHAIN_START) -> tuple[int, bytes]:
        """Pass over stretches behind `last` that are right as a whole; return the place and chain come to.

        The next stretch is read while one is checked.
        """
        self._report(CHECKING, last, end)
        coming: asyncio.Task[Sequence[Any]] | None = None
        try:
            while last < end:
                size = min(CHUNK, end - last)
                rows = await (coming or self._quick.read(last + 1, last + size))
                following = min(CHUNK, end - last - size)
                coming = (
                    asyncio.create_task(self._quick.read(last + size + 1, last + size + following))
                    if following
                    else None
                )
                stretch = await self._quick.check(rows, size)
                if stretch is None:
                    break
                self._posted += stretch.transfers
                self._whole_to += size if self._whole_to == last else 0
                last, chain = last + size, stretch.chain
                self._report(CHECKING, last, end)
        finally:
            if coming is not None:
                await asyncio.gather(coming, return_exceptions=True)
        return last, chain

    async def check_balances(self) -> None:
        """Hold kept balances against the transfers, and each asset's sum over all accounts against 0."""
        for account, asset, kept, owed in await self._connection.fetch(BALANCES):
            self._faults.add(Fault("balance", account=account, name=asset, stored=kept, expected=owed))
        for asset, total in await self._connection.fetch(SUMS):
            self._faults.add(Fault("sum", name=asset, stored=total, expected="0"))

    def _check_chain(self, entries: Sequence[FeedEntry], seq: int, chain: bytes) -> None:
        """Name every entry that is not what was written: behind a broken one the check begins anew."""
        rest = list(entries)
        while rest and isinstance(broken := verify_feed(rest, chain, start_seq=seq), Broken):
            self._faults.add(Fault("chain", seq=broken.seq, name=broken.why))
            rest = [entry for entry in rest if entry.seq >= broken.seq]
            seq, chain, rest = rest[0].seq, rest[0].chain, rest[1:]

    async def _check_transfers(self, entries: Sequence[FeedEntry]) -> None:
        logged: dict[str, tuple[FeedEntry, TransferPosted | TransferCancelled]] = {}
        for entry in entries:
            try:
                fact = decode(entry.event)
            except Exception as error:  # noqa: BLE001 whatever is wrong with it, it is named
                self._faults.add(
                    Fault("event", seq=entry.seq, name=f"cannot be read: {type(error).__name__}")
                )
                continue
            if isinstance(fact, TransferPosted | TransferCancelled):
                logged[fact.key] = (entry, fact)
        rows = {row["key"]: row for row in await self._connection.fetch(ROWS, list(logged))}
        self._posted += len(logged)
        for key, (entry, fact) in logged.items():
            row = rows.get(key)
            if isinstance(fact, TransferPosted) and row is not None and _is_as_logged(row, entry, fact):
                continue
            expected, stored = _expected(entry, fact), _stored(row)
            for name in expected.keys() | stored.keys():
                was, should = stored.get(name, ""), expected.get(name, "")
                if was != should:
                    place = Fault(
                        "transfer", seq=entry.seq, name=f"{key} {name}", stored=was, expected=should
                    )
                    self._faults.add(place)

    async def _name_unlogged(self) -> None:
        """Name the transfers that no event of the log posted."""
        cursor = await self._connection.cursor(ALL_KEYS)
        while rows := await cursor.fetch(CHUNK):
            streams = {
                derived_id(at, "cancelled key" if cancelled else "transfer", key): key
                for key, at, cancelled in rows
            }
            known = {row[0] for row in await self._connection.fetch(KNOWN, list(streams))}
            for stream, key in streams.items():
                if stream not in known:
                    self._faults.add(Fault("transfer", name=key, stored="a row without event"))


def _is_as_logged(row: Any, entry: FeedEntry, fact: TransferPosted) -> bool:
    """Whether a row is its event's, as nearly all are; what differs is found column by column."""
    return bool(tuple(row) == (entry.event.recorded_at, *contents(fact)))


def _expected(entry: FeedEntry, fact: TransferPosted | TransferCancelled) -> dict[str, str]:
    """Return what the row of an event holds, as text, by column."""
    if isinstance(fact, TransferCancelled):
        return {"posted_at": str(fact.at)}
    told = {name: str(getattr(fact, name)) for name in CONTENTS}
    return {**told, "posted_at": str(entry.event.recorded_at)}


def _stored(row: Any | None) -> dict[str, str]:
    if row is None:
        return {}
    return {name: str(value) for name, value in row.items() if value is not None and _is_told(row, name)}


def _is_told(row: Any, name: str) -> bool:
    """A tombstone has nothing but its key and instant."""
    return row["asset"] is not None or name == "posted_at"
