"""Whether many MCR tables of AI players keep their turn times: `sparrow bench mcr-tables [--json]`.

A whole Sparrow with its one worker. Tables of four AI players of one level are begun at once, as a lobby
begins them, and play on at the limits of a new installation; a minute of that is measured. Read from the log:
deals that ended, decisions that players took, turns and claims whose time ran out, and how long a deal waited
at most from one fact to the next. Prints one line of JSON per figure.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Final
from uuid import UUID

import asyncpg
import psutil
import uvloop

from libs.cli.doctor.machine import database_url
from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.eventstore.postgres.database import Database
from libs.pb.sparrow.mcr.v1 import deal_event_pb2, deal_pb2
from libs.runtime.config import Settings
from libs.runtime.data_folder import read_announcement
from services.mcr.domain.deal.events import ClaimAnswered, DealEnded, TileDiscarded
from services.mcr.domain.deal.terms import DEALS_MAX, Ai, AiLevel
from services.mcr.tables.begin import NewTable, TableBeginnings
from services.mcr.tables.pace import Pace
from services.mcr.wire.deal_codec import TYPES
from tests.bench.figures import print_figure
from tests.support.installation import Installation

TABLES: Final = 200
MEASURED_S: Final = 60.0
SETTLE_S: Final = 5.0
LEVELS: Final = (AiLevel.STRONG, AiLevel.MIDDLE)
SEATS: Final = 4
DISCARDED, ANSWERED, ENDED = (TYPES[each][1] for each in (TileDiscarded, ClaimAnswered, DealEnded))
FACTS: Final = """
SELECT stream_id, type, occurred_at, CASE WHEN type = ANY($2) THEN data END AS data FROM event
WHERE stream_id IN (SELECT deal_id FROM dealt_wall) AND occurred_at < $1
ORDER BY stream_id, version
"""


@dataclass(frozen=True)
class Seen:
    """What a stretch of time saw."""

    deals: int
    decisions: int
    missed: int
    slowest: timedelta


async def measure(server: Installation, level: AiLevel, tables: int, measured_s: float) -> None:
    """Play tables of a level for a while."""
    url = database_url(read_announcement(server.data_dir), Settings(data_dir=server.data_dir))
    assert url is not None
    database = await Database.open(url, "mcr")
    try:
        await begin(database, level, tables)
        await asyncio.sleep(SETTLE_S)
        since = datetime.now(UTC)
        with busy(server, level):
            await asyncio.sleep(measured_s)
        until = datetime.now(UTC)
        seen = seen_in(await database.pool.fetch(FACTS, until, [DISCARDED, ANSWERED]), since, until)
    finally:
        await database.close()
    print_figure(f"mcr.tables.deals_per_s.{level.value}", seen.deals / measured_s, "1/s")
    print_figure(f"mcr.tables.decisions_per_s.{level.value}", seen.decisions / measured_s, "1/s")
    print_figure(f"mcr.tables.missed_turns.{level.value}", seen.missed, "1")
    print_figure(f"mcr.tables.slowest_turn_s.{level.value}", seen.slowest.total_seconds(), "s")


async def begin(database: Database, level: AiLevel, tables: int) -> None:
    """Let so many tables of four begin, in one transaction."""
    now = datetime.now(UTC)
    seats = (Ai(level),) * SEATS
    wanted = [
        NewTable(uuid7(now, secrets.token_bytes(RANDOM_BYTES)), seats, DEALS_MAX) for _ in range(tables)
    ]
    async with database.store.transaction() as transaction:
        await TableBeginnings(secrets.token_bytes, Pace()).begin_all(transaction, wanted, now)


def seen_in(facts: list[asyncpg.Record], since: datetime, until: datetime) -> Seen:
    """Count what happened between two instants, by all facts of deals, which come deal by deal in order."""
    deals = decisions = missed = 0
    slowest = timedelta()
    for _deal_id, of_deal in groupby(facts, key=stream_of):
        before: datetime | None = None
        is_over = False
        for fact in of_deal:
            at = fact["occurred_at"]
            waited, before = timedelta() if before is None else at - before, at
            is_over = is_over or fact["type"] == ENDED
            if at >= since:
                by, slowest = acted_by(fact), max(slowest, waited)
                decisions += by is not None
                missed += by == deal_pb2.ACTED_BY_TIME
                deals += fact["type"] == ENDED
        if not is_over and before is not None:
            slowest = max(slowest, until - before)
    return Seen(deals, decisions, missed, slowest)


def stream_of(fact: asyncpg.Record) -> UUID:
    """The deal that a fact belongs to."""
    return fact["stream_id"]  # type: ignore[no-any-return]


def acted_by(fact: asyncpg.Record) -> deal_pb2.ActedBy.ValueType | None:
    """Who discarded or answered; None where the fact is another one."""
    match fact["type"]:
        case kind if kind == DISCARDED:
            return deal_event_pb2.TileDiscarded.FromString(fact["data"]).by
        case kind if kind == ANSWERED:
            return deal_event_pb2.ClaimAnswered.FromString(fact["data"]).by
        case _:
            return None


@contextmanager
def busy(server: Installation, level: AiLevel) -> Iterator[None]:
    """Print the share of a core that each part takes meanwhile, the processes that it started included."""
    before = used(server)
    began_s = asyncio.get_running_loop().time()
    yield
    took_s = asyncio.get_running_loop().time() - began_s
    for part, seconds in used(server).items():
        print_figure(f"mcr.tables.cores.{part}.{level.value}", (seconds - before[part]) / took_s, "1")


def used(server: Installation) -> dict[str, float]:
    """Processor seconds of each part so far; those of the processes that think apart from their worker."""
    found: dict[str, float] = {}
    for part, pid in server.children().items():
        process = psutil.Process(pid)
        found[part] = seconds_of(process)
        started = "thinkers" if part == "worker" else part
        found[started] = found.get(started, 0.0) + sum(map(seconds_of, process.children(recursive=True)))
    return found


def seconds_of(process: psutil.Process) -> float:
    """Processor seconds of one process."""
    times = process.cpu_times()
    return times.user + times.system


def main() -> None:
    """Measure each level on an installation of its own."""
    parser = argparse.ArgumentParser(prog="sparrow bench mcr-tables", description=__doc__)
    levels = [level.value for level in LEVELS]
    parser.add_argument("--level", choices=levels, action="append", help="only this one; can be repeated")
    parser.add_argument("--tables", type=int, default=TABLES, help="how many play at once")
    parser.add_argument("--seconds", type=float, default=MEASURED_S, help="how long is measured")
    parser.add_argument("--json", action="store_true", help="lines of JSON; they are all there is")
    asked = parser.parse_args()
    print_figure("mcr.tables.load_average_before", float(Path("/proc/loadavg").read_text().split()[0]), "1")
    for level in LEVELS:
        if asked.level and level.value not in asked.level:
            continue
        server = Installation()
        try:
            server.start()
            uvloop.run(measure(server, level, asked.tables, asked.seconds))
        finally:
            server.remove()


if __name__ == "__main__":
    main()
