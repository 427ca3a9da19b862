"""A ledger with a long past, written by COPY: log, feed with its chain, and journal, but no boards yet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time, timedelta
from random import Random
from typing import Any
from uuid import UUID

import asyncpg

from libs.eventsourcing.envelope import RecordedEvent
from libs.eventsourcing.ids import derived_id
from libs.eventstore.chain import CHAIN_START, link
from services.ledger.assets import HOUSE_POINTS, Asset, player_account
from services.ledger.domain.calendar import day_end
from services.ledger.events import LedgerDayClosed, LedgerEvent, TransferPosted
from services.ledger.policies import CALLER
from services.ledger.wire.events import encode

CHUNK = 20_000
SETTINGS = {"search_path": "ledger", "session_replication_role": "replica", "synchronous_commit": "off"}
TRANSFER = (*(column.name for column in fields(TransferPosted)), "posted_at")
EVENT = (
    "part",
    "stream_id",
    "version",
    "type",
    "schema_version",
    "occurred_at",
    "recorded_at",
    "caller",
    "data",
)
FEED = ("part", "seq", "stream_id", "version", "at", "chain")


@dataclass(frozen=True)
class History:
    """So many results, spread evenly over days and in a skewed way over players; the last day is open."""

    results: int
    players: int
    days: int
    last_day: date
    seed: int = 1

    def facts(self) -> Iterator[tuple[datetime, LedgerEvent]]:
        """Yield (instant, fact), in order."""
        random = Random(self.seed)
        first = self.last_day - timedelta(days=self.days - 1)
        yield day_end(first - timedelta(days=1)), LedgerDayClosed(first - timedelta(days=1))
        for number in range(self.days):
            day = first + timedelta(days=number)
            count = self.results // self.days
            for place in range(count):
                at = datetime.combine(day, time(8), UTC) + timedelta(seconds=40_000 * place / count)
                yield at, self._result(random, number * count + place, day, at)
            if number + 1 < self.days:
                yield day_end(day), LedgerDayClosed(day)

    def _result(self, random: Random, number: int, day: date, at: datetime) -> TransferPosted:
        # In a day a tenth of all players plays, each about as often as the others.
        shift = day.toordinal() * 7919
        player = (random.randrange(max(1, self.players // 10)) * 10 + shift) % self.players
        account = player_account(
            UUID(int=(player * 0x9E3779B97F4A7C15F39CC0605CEDC835) % (1 << 128), version=4)
        )
        return TransferPosted(
            key=f"match/{UUID(int=number, version=4)}/quick/{account[8:]}",
            asset=Asset.POINTS,
            debit=HOUSE_POINTS,
            credit=account,
            amount=random.choice((5, 15, 20, 20, 50)),
            reason="QUICK_MATCH",
            occurred_at=at,
            day=day,
            time_zone_data="2026.1",
            cause=f"sparrow/match:{UUID(int=number, version=4)}/70",
        )


async def write_history(url: str, facts: Iterable[tuple[datetime, LedgerEvent]]) -> int:
    """Write facts behind the end of the feed of a ledger that nobody works on; return the new end."""
    connection = await asyncpg.connect(url, server_settings=SETTINGS)
    try:
        seq, chain = await connection.fetchrow("SELECT last_seq, chain FROM feed_head WHERE part = 1") or (
            0,
            CHAIN_START,
        )
        events: list[tuple[Any, ...]] = []
        feed: list[tuple[Any, ...]] = []
        transfers: list[tuple[Any, ...]] = []
        month: tuple[int, int] | None = None
        at = None

        async def flush() -> None:
            streams = [(row[1], row[2]) for row in events]
            for table, rows, columns in (
                ("stream", streams, ("stream_id", "version")),
                ("event", events, EVENT),
                ("feed", feed, FEED),
                ("transfer", transfers, TRANSFER),
            ):
                await connection.copy_records_to_table(table, records=rows, columns=columns)
            for written in (events, feed, transfers):
                written.clear()

        for at, fact in facts:
            if month != (at.year, at.month):
                month = (at.year, at.month)
                await connection.execute("SELECT ensure_partitions($1, 0)", at)
            seq += 1
            new = encode(fact, at)
            name = fact.key if isinstance(fact, TransferPosted) else json.dumps([str(fact), seq])
            stream = derived_id(at, "transfer", name)
            event = RecordedEvent(
                stream_id=stream,
                version=1,
                part=new.part,
                type=new.type,
                schema_version=1,
                occurred_at=at,
                recorded_at=at,
                caller=CALLER,
                request_id=None,
                request_events=0,
                data=new.data,
            )
            chain = link(chain, seq, at, event)
            events.append((1, stream, 1, new.type, 1, at, at, CALLER, new.data))
            feed.append((1, seq, stream, 1, at, chain))
            if isinstance(fact, TransferPosted):
                transfers.append((*(getattr(fact, name) for name in TRANSFER[:-1]), at))
            if len(events) >= CHUNK:
                await flush()
        await flush()
        await connection.execute(
            "UPDATE feed_head SET last_seq = $1, chain = $2, at = coalesce($3, at) WHERE part = 1",
            seq,
            chain,
            at,
        )
        await connection.execute("ANALYZE feed")
    finally:
        await connection.close()
    return seq
