"""How soon the queues make matches: `sparrow bench matchmaking [--json] [--queue Q] [--tickets N]`.

A whole Sparrow with a second worker beside its own, so that two matchmakers of each queue compete. Players
come at a steady pace over gRPC and are told by their streams; a wait counts from the instant at which enough
waited for the match: the call of the last ticket of a full table, or ten seconds after that of the second; of
an MCR table that AI players fill, twenty seconds after that of the first.
Then thousands of tickets are entered at once, and what both workers make of them is counted and proven from
the first fact of every match. Prints one line of JSON per figure.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from pathlib import Path
from uuid import UUID

import psutil
import uvloop

from libs.cli.demo.journal import quantile
from libs.cli.doctor.machine import database_url
from libs.client.errors import SparrowError
from libs.client.lean import PLAYERS_PER_CONNECTION, LeanConnection, LeanPlayer
from libs.client.tickets import QueueKind
from libs.eventsourcing.envelope import RecordedEvent
from libs.eventstore.postgres.database import Database
from libs.runtime.config import REPOSITORY, Settings
from libs.runtime.data_folder import read_announcement
from services.match.domain.queueing import GATHERED_AFTER, Queue
from services.match.wire.fair_play import seated
from services.mcr.domain.session.events import TableOpened
from services.mcr.wire.table_codec import TableCodec
from tests.bench.figures import print_figure
from tests.support.installation import Installation

TICKETS = 10_000
PLAYERS, ARRIVALS_PER_S = 200, 20
GATHERINGS = 1
"""How often two come alone to a queue that begins with fewer than a full table."""
SIGN_INS_AT_ONCE = 16
ALL_WITHIN_S = 180.0
ALONE_S = 40.0
LOOK_EVERY_S = 0.02
ENTER = """
INSERT INTO ticket (ticket_id, account_id, queue, state, created_at, expires_at)
SELECT gen_random_uuid(), gen_random_uuid(), $2, 'waiting', now(), now() + interval '1 hour'
FROM generate_series(1, $1)
"""
ENTER_OF_TABLES = """
INSERT INTO ticket (ticket_id, account_id, queue, ai_level, state, created_at, expires_at)
SELECT gen_random_uuid(), gen_random_uuid(), $2, 'middle', 'waiting', now(), now() + interval '1 hour'
FROM generate_series(1, $1)
"""
LEFT = "SELECT count(*) FROM ticket WHERE queue = $1 AND state = 'waiting'"
MATCHED = "SELECT account_id FROM ticket WHERE queue = $1 AND state = 'matched'"
BEGUN = "SELECT stream_id FROM event WHERE version = 1 AND type = ANY($1)"
FIRST_FACTS = (
    "sparrow.match.match_created.v1",
    "sparrow.match.race_dealt.v1",
    "sparrow.match.pool_dealt.v1",
    "sparrow.mcr.table_opened.v1",
)


@dataclass(frozen=True)
class Measured:
    """A queue that is measured."""

    name: str
    schema: str
    queue: str
    seats: int
    fewest: int
    """How many tickets are enough for a game, after a while."""
    after: timedelta
    """From the last one of these on."""
    ask: Callable[[LeanPlayer], Awaitable[str]]
    """Queue, and be told the name of the game."""
    enter: str
    """SQL that enters so many tickets of a queue."""
    seated: Callable[[RecordedEvent], Collection[UUID]]
    """Who plays in the game that began with this fact."""


def of_matches(queue: Queue, kind: QueueKind) -> Measured:
    """A queue of the match service."""

    async def ask(player: LeanPlayer) -> str:
        return await player.queue(kind)

    return Measured(
        kind.value, "match", queue.value, queue.seats, queue.seats_min, GATHERED_AFTER, ask, ENTER, seated
    )


def at_table(opened: RecordedEvent) -> Collection[UUID]:
    """The persons of an MCR table."""
    fact = TableCodec().decode(opened)
    assert isinstance(fact, TableOpened), "a table opens first"
    return fact.terms.persons


MEASURED = (
    of_matches(Queue.QUICK_MATCH, QueueKind.QUICK),
    of_matches(Queue.ARENA, QueueKind.ARENA),
    of_matches(Queue.RACE, QueueKind.RACE),
    of_matches(Queue.POOL, QueueKind.POOL),
    Measured(
        "table",
        "mcr",
        "deals_1",
        4,
        1,
        timedelta(seconds=20),
        LeanPlayer.queue_table,
        ENTER_OF_TABLES,
        at_table,
    ),
)


@dataclass(frozen=True)
class Wait:
    """One ticket: when it was asked for and when its match was known, on the event loop's clock."""

    asked_s: float
    known_s: float
    match: str


@contextmanager
def worker_beside(server: Installation) -> Iterator[None]:
    """Run a second worker on the same database and NATS, until left."""
    env = psutil.Process(server.children()["worker"]).environ() | {"SPARROW_METRICS_PORT": "0"}
    command = [sys.executable, "-m", "services", "--role", "work"]
    with (server.home / "second.log").open("wb") as log:
        second = subprocess.Popen(command, cwd=REPOSITORY, env=env, stdout=log, stderr=log)
        try:
            yield
            assert second.poll() is None, (server.home / "second.log").read_text()
        finally:
            second.terminate()
            second.wait(60)


async def signed_in(target: str, count: int) -> tuple[list[LeanPlayer], list[LeanConnection]]:
    """New players, and the connections that they share."""
    connections = [LeanConnection(target) for _ in range(ceil(count / PLAYERS_PER_CONNECTION))]
    players = [LeanPlayer(connections[number % len(connections)]) for number in range(count)]
    few = asyncio.Semaphore(SIGN_INS_AT_ONCE)

    async def one(player: LeanPlayer) -> None:
        async with few:
            await player.sign_in()

    await asyncio.gather(*map(one, players))
    return players, connections


async def wait(player: LeanPlayer, queue: Measured) -> Wait | None:
    """Queue, and be told; none where a call was lost, or one waits alone because another's was."""
    clock = asyncio.get_running_loop()
    asked_s = clock.time()
    try:
        async with asyncio.timeout(ALONE_S):
            match = await queue.ask(player)
    except (SparrowError, TimeoutError):
        return None
    return Wait(asked_s, clock.time(), match)


async def arrivals(players: list[LeanPlayer], queue: Measured) -> list[Wait | None]:
    """All of them at the steady pace; as many as there are whole tables of."""
    waiting: list[asyncio.Task[Wait | None]] = []
    begun_s = asyncio.get_running_loop().time()
    for number, player in enumerate(players):
        due_s = begun_s + number / ARRIVALS_PER_S
        await asyncio.sleep(max(0.0, due_s - asyncio.get_running_loop().time()))
        waiting.append(asyncio.create_task(wait(player, queue)))
    return await asyncio.gather(*waiting)


def since_enough_ms(waits: list[Wait], queue: Measured) -> list[float]:
    """For each ticket, from when enough waited until its match was known.

    A table that is not full counts from its last ticket that was needed, and the while that follows.
    """
    by_match: defaultdict[str, list[Wait]] = defaultdict(list)
    for each in waits:
        by_match[each.match].append(each)
    found: list[float] = []
    for table in by_match.values():
        asked = sorted(each.asked_s for each in table)
        enough_s = asked[-1]
        if len(table) < queue.fewest:
            continue
        if len(table) < queue.seats:
            enough_s = asked[queue.fewest - 1] + queue.after.total_seconds()
        found += [max(0.0, each.known_s - enough_s) * 1000 for each in table]
    return found


async def measure_waits(server: Installation, queue: Measured) -> None:
    """How long it takes from enough players to every one's knowing, at the pace and when few come."""
    gathering = 2 * GATHERINGS if queue.fewest < queue.seats else 0
    players, connections = await signed_in(server.endpoint, PLAYERS + gathering)
    try:
        waits = await arrivals(players[:PLAYERS], queue)
        for number in range(PLAYERS, PLAYERS + gathering, 2):
            waits += await asyncio.gather(*(wait(player, queue) for player in players[number : number + 2]))
    finally:
        for connection in connections:
            await connection.close()
    found = since_enough_ms([each for each in waits if each is not None], queue)
    name = queue.name
    print_figure(f"matchmaking.{name}.lost", waits.count(None), "1")
    for figure, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0)):
        print_figure(f"matchmaking.{name}.{figure}_ms", quantile(found, share), "ms")


async def measure_rush(server: Installation, queue: Measured, tickets: int) -> None:
    """How fast both workers make matches of tickets that all wait at once; nobody sits in two of them."""
    url = database_url(read_announcement(server.data_dir), Settings(data_dir=server.data_dir))
    assert url is not None
    database = await Database.open(url, queue.schema)
    try:
        await database.pool.execute(queue.enter, tickets, queue.queue)
        began_s = time.monotonic()
        while await database.pool.fetchval(LEFT, queue.queue):
            assert time.monotonic() < began_s + ALL_WITHIN_S, "tickets are left over"
            await asyncio.sleep(LOOK_EVERY_S)
        took_s = time.monotonic() - began_s
        seats: Counter[str] = Counter()
        for row in await database.pool.fetch(BEGUN, list(FIRST_FACTS)):
            (first, *_) = await database.store.load(row["stream_id"])
            for account_id in queue.seated(first):
                seats[str(account_id)] += 1
        matched = [str(row["account_id"]) for row in await database.pool.fetch(MATCHED, queue.queue)]
    finally:
        await database.close()
    name = queue.name
    print_figure(f"matchmaking.{name}.tickets_per_s", tickets / took_s, "1/s")
    wrong = sum(seats[account_id] != 1 for account_id in matched)
    print_figure(f"matchmaking.{name}.not_in_one_match", wrong, "1")


def main() -> None:
    """Measure each queue on an installation of its own."""
    parser = argparse.ArgumentParser(prog="sparrow bench matchmaking", description=__doc__)
    kinds = [queue.name for queue in MEASURED]
    parser.add_argument("--queue", choices=kinds, action="append", help="only this one; can be repeated")
    parser.add_argument("--tickets", type=int, default=TICKETS, help="how many wait at once")
    parser.add_argument("--json", action="store_true", help="lines of JSON; they are all there is")
    asked = parser.parse_args()
    print_figure("matchmaking.load_average_before", float(Path("/proc/loadavg").read_text().split()[0]), "1")
    for queue in MEASURED:
        if asked.queue and queue.name not in asked.queue:
            continue
        server = Installation()
        try:
            server.start()
            with worker_beside(server):
                uvloop.run(measure_waits(server, queue))
                uvloop.run(measure_rush(server, queue, asked.tickets))
        finally:
            server.remove()


if __name__ == "__main__":
    main()
