"""Replicas killed at the steps of a tournament: each step happens once, and every prize is paid once.

Two processes serve and work. Whichever comes to the step first is killed there, and the other one goes on;
the clock of one of their machines is 5 s off. How long after the kill the next step was done is printed
(`-rP`).

A run takes two cells by a seed of its own, which it prints; `SPARROW_FAULT_SEED=<seed>` repeats it.
`SPARROW_FAULT_ALL=1` runs every cell.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest

from libs.client.calls import Retries
from libs.client.client import SparrowClient
from libs.client.results import Balances
from libs.client.tournament_operations import TournamentOperator
from libs.client.tournament_views import (
    Tournament,
    TournamentEnding,
    TournamentPrize,
    TournamentTerms,
    TournamentTimes,
)
from libs.eventstore.postgres.database import Database
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.embedded.ports import free_port
from libs.runtime.systemclock import SystemClock
from libs.runtime.tokens import mint_operator_token
from services.tournament.domain.tournament.events import PrizesAwarded, RoundSeated
from services.tournament.domain.tournament.verifying import differences
from services.tournament.wire.tournament_codec import TournamentCodec
from tests.support.servers import NatsServer
from tests.support.service_process import ServiceProcess
from tests.support.tournament_player import take_part

pytestmark = pytest.mark.timeout(600)
READY_S = 40
WITHIN_S = 90
PLAYERS = 3
PRIZES = (TournamentPrize(30, 2, "evening"), TournamentPrize(20))
TERMS = TournamentTerms(
    title="Evening",
    duration=timedelta(minutes=5),
    minimum=2,
    maximum=5,
    prizes=PRIZES,
    multipliers=(1,),
    times=TournamentTimes(timedelta(hours=1), timedelta(), timedelta(seconds=3)),
)
CUT = replace(
    TERMS, duration=timedelta(seconds=7), times=replace(TERMS.times, round_limit=timedelta(minutes=1))
)
"""Its time is up while the only table is played."""


@dataclass(frozen=True)
class Cell:
    """Where a process is killed, and what has to be done next."""

    fault: str
    next_step: str
    """Of those that `_check` tells the instants of."""
    terms: TournamentTerms = TERMS


CELLS = (
    # Creating, opening and three registrations are steps 1 to 5.
    Cell("tournament.append_sent:kill:6", "start"),  # the start instant
    Cell("tournament.committed:kill:6", "tables"),
    Cell("tournament.tables_due:kill", "tables"),  # between seating and the table
    Cell("match.tables_begun:kill", "tables"),
    Cell("match.tables_committed:kill", "tables"),
    Cell("tournament.tables_asked:kill", "tables"),
    Cell("tournament.append_sent:kill:7", "finish"),  # the last report, and prizes
    Cell("tournament.committed:kill:7", "prizes"),
    Cell("tournament.table_reported:kill", "prizes"),
    Cell("tournament.append_sent:kill:7", "closing", CUT),  # the end instant
    Cell("tournament.committed:kill:7", "finish", CUT),
    Cell("tournament.append_sent:kill:8", "finish", CUT),
    Cell("ledger.rows_in:kill", "prizes"),  # paying
    Cell("ledger.commit_sent:kill", "prizes"),
    Cell("ledger.committed:kill", "prizes"),
)
CELLS_A_RUN = 2
FACTS = {
    "tournament_started": 1,
    "round_seated": 1,
    "table_played": 1,
    "tournament_finished": 1,
    "prizes_awarded": 1,
}
CLOCK_OFF = timedelta(seconds=5)
EARLY_MAX = timedelta(seconds=1)
"""Much less than the clock is off; no step is recorded so long before its time."""


@dataclass
class Hall:
    """Where processes of all services but MCR run on one database, each listening on a port of its own."""

    database_url: str
    nats_url: str
    keys_dir: Path
    ports: tuple[int, int]

    @asynccontextmanager
    async def process(
        self,
        number: int = 0,
        fault: str = "",
        passages: Path | None = None,
        clock_off: timedelta = timedelta(),
    ) -> AsyncIterator[ServiceProcess]:
        """Run a process, armed or not; it is gone afterwards."""
        settings = {
            "SPARROW_DATABASE_URL": self.database_url,
            "SPARROW_NATS_URL": self.nats_url,
            "SPARROW_KEYS_DIR": str(self.keys_dir),
            "SPARROW_PORT": str(self.ports[number]),
            "SPARROW_LOG_LEVEL": "error",
            "SPARROW_SERVICE_ADDRESSES": json.dumps({"mcr": "127.0.0.1:1"}),
            "SPARROW_FAULT": fault,
        }
        names = ["match", "solitaire", "ledger", "account", "tournament"]
        process = ServiceProcess(names, settings, passages=passages, clock_off=clock_off)
        try:
            yield process
        finally:
            await process.end()

    @asynccontextmanager
    async def replicas(self, fault: str, clock_off: timedelta) -> AsyncIterator[list[ServiceProcess]]:
        """Run two: at the fault, the one that is there first dies. The clock of the second one is off."""
        passages = Path(mkdtemp(dir=self.keys_dir))
        async with (
            self.process(0, fault, passages) as one,
            self.process(1, fault, passages, clock_off) as two,
        ):
            await asyncio.gather(self.ready(0), self.ready(1))
            yield [one, two]

    async def ready(self, number: int = 0) -> None:
        """Wait until it answers."""
        channel = grpc.aio.insecure_channel(
            f"127.0.0.1:{self.ports[number]}", options=[("grpc.use_local_subchannel_pool", 1)]
        )
        await asyncio.wait_for(channel.channel_ready(), READY_S)
        await channel.close()

    @property
    def endpoint(self) -> str:
        """Where the first process listens."""
        return f"127.0.0.1:{self.ports[0]}"

    def either(self, first: int) -> str:
        """Where one of two answers as long as any does; the one with this number as long as it lives."""
        ports = self.ports[first % 2], self.ports[(first + 1) % 2]
        return "ipv4:" + ",".join(f"127.0.0.1:{port}" for port in ports)

    async def created(self, terms: TournamentTerms, starts_in_s: float) -> Tournament:
        """An operator's."""
        token = mint_operator_token(self.keys_dir / "operator.key", "ana", timedelta(minutes=10))
        start = SystemClock().now() + timedelta(seconds=starts_in_s)
        async with TournamentOperator(self.endpoint, token) as operator:
            return await operator.create(terms, start, str(uuid4()))


@pytest.fixture
def hall(database_url: str, tmp_path: Path) -> Iterator[Hall]:
    """A hall without a process yet; the streams of its NATS are its own."""
    ensure_keys(tmp_path)
    nats = NatsServer()
    nats.start()
    one, two = (free_port(secrets.token_hex(4)) for _ in range(2))
    yield Hall(database_url, nats.url, tmp_path, (one, two))
    nats.remove()


async def test_a_kill_at_any_step_makes_no_step_happen_twice_or_never(hall: Hall) -> None:
    """One replica dies while players play on: one start, one table, one end, every prize once."""
    seed = int(os.environ.get("SPARROW_FAULT_SEED") or secrets.randbelow(1_000_000))
    chance = Random(seed)
    cells = CELLS if os.environ.get("SPARROW_FAULT_ALL") else chance.sample(CELLS, CELLS_A_RUN)
    print(f"seed {seed}")  # noqa: T201 to repeat it
    for cell in cells:
        await _one_cell(hall, cell, chance.choice((CLOCK_OFF, -CLOCK_OFF)))


async def _one_cell(hall: Hall, cell: Cell, clock_off: timedelta) -> None:
    async with (
        hall.replicas(cell.fault, clock_off) as replicas,
        AsyncExitStack() as stack,
        asyncio.timeout(WITHIN_S),
    ):
        clients = [
            await stack.enter_async_context(
                await SparrowClient.connect(hall.either(number), retries=Retries(for_s=60))
            )
            for number in range(PLAYERS)
        ]
        created = await hall.created(cell.terms, 2)
        for client in clients:
            await client.tournaments.register(created.name)
        playing = asyncio.gather(
            *(take_part(client, created.name, number) for number, client in enumerate(clients))
        )
        await _first_to_die(replicas)
        killed_at = SystemClock().now()
        told = await playing
        owned = await _all_is_paid(clients)
        await _nothing_is_due(hall)
        ended = [process.returncode for process in replicas]
    assert sorted(ended, key=str) == [-signal.SIGKILL, None], cell
    ending = TournamentEnding.TIME if cell.terms is CUT else TournamentEnding.ROUNDS
    assert {seen[-1].tournament.ending for seen, _games in told} == {ending}, cell
    assert sum(each.jokers for each in owned) == sum(prize.jokers for prize in PRIZES), cell
    assert [dict(each.cups) for each in owned if each.cups] == [{"evening": 1}], cell
    done_at = await _check(hall, created, cell)
    after_s = (done_at[cell.next_step] - killed_at).total_seconds()
    who = f"{ended.index(-signal.SIGKILL)} died (clock of 1: {clock_off.total_seconds():+.0f} s)"
    print(f"{cell.fault:31} {who}: {cell.next_step} {after_s:+.2f} s after it")  # noqa: T201 not judged


async def _first_to_die(replicas: list[ServiceProcess]) -> None:
    """Wait until one of them is gone."""
    while all(process.returncode is None for process in replicas):  # noqa: ASYNC110 they set no event
        await asyncio.sleep(0.01)


async def _all_is_paid(clients: list[SparrowClient]) -> list[Balances]:
    """Wait for the cup of the winner; prizes are taken in together. Return what all own."""
    while True:
        owned = [await client.wallet.balances() for client in clients]
        if any(each.cups for each in owned):
            return owned
        await asyncio.sleep(0.1)


async def _nothing_is_due(hall: Hall) -> None:
    """Wait until no timer of a tournament is left: one that a dead process had claimed is fired again."""
    async with _database(hall) as database:
        while await database.pool.fetchval("SELECT count(*) FROM timer"):  # noqa: ASYNC110 as above
            await asyncio.sleep(0.1)


@asynccontextmanager
async def _database(hall: Hall) -> AsyncIterator[Database]:
    database = await Database.open(hall.database_url, "tournament")
    try:
        yield database
    finally:
        await database.close()


async def _check(hall: Hall, created: Tournament, cell: Cell) -> dict[str, datetime]:
    """Compare the facts with what they say themselves, and with what the others did; tell when each was."""
    tournament_id = UUID(created.name.partition("/")[2])
    async with _database(hall) as database:
        recorded = await database.store.load(tournament_id)
        paid = await database.pool.fetch(
            "SELECT key, posted_at FROM ledger.transfer WHERE key LIKE $1", f"tournament/{tournament_id}/%"
        )
        matches = await database.pool.fetch(
            "SELECT match_id FROM match.tournament_table WHERE tournament_id = $1", tournament_id
        )
        begun = await database.pool.fetch(
            "SELECT stream_id, recorded_at FROM match.event"
            " JOIN match.tournament_table ON stream_id = match_id"
            " WHERE tournament_id = $1 AND type = 'sparrow.match.match_created.v1'",
            tournament_id,
        )
        parked = await database.pool.fetchval("SELECT count(*) FROM parked")
    facts: list[Any] = [TournamentCodec().decode(each) for each in recorded]
    by_name = {each.type.split(".")[2]: each for each in recorded}
    counts = {name: sum(each.type.split(".")[2] == name for each in recorded) for name in FACTS}
    start, seating = by_name["tournament_started"], by_name["round_seated"]
    seated = next(fact for fact in facts if isinstance(fact, RoundSeated))
    awards = next(fact.awards for fact in facts if isinstance(fact, PrizesAwarded))
    goods = sum(bool(a.goods.points) + bool(a.goods.jokers) + bool(a.goods.cup) for a in awards)
    timed = [start, seating, *(each for name, each in by_name.items() if name == "tournament_closing")]

    assert differences(facts) == [], cell
    assert counts == FACTS, cell
    assert start.occurred_at == seating.occurred_at == created.start_time, cell
    assert [each for each in timed if each.recorded_at < each.occurred_at - EARLY_MAX] == [], cell
    assert [row["match_id"] for row in matches] == [table.match_id for table in seated.tables], cell
    assert [row["stream_id"] for row in begun] == [table.match_id for table in seated.tables], cell
    assert len(paid) == len({row["key"] for row in paid}) == goods, cell
    assert parked == 0, cell
    return {
        "start": start.recorded_at,
        "tables": begun[0]["recorded_at"],
        "finish": by_name["tournament_finished"].recorded_at,
        "prizes": max(row["posted_at"] for row in paid),
        **({"closing": by_name["tournament_closing"].recorded_at} if cell.terms is CUT else {}),
    }


async def test_a_start_and_an_end_that_nobody_was_there_for_are_caught_up_in_order(hall: Hall) -> None:
    """Every step has the instant at which it was due; tables that nobody could play are cut, without TP."""
    terms = replace(TERMS, duration=timedelta(seconds=1))
    async with hall.process(), asyncio.timeout(WITHIN_S):
        await hall.ready()
        created = await hall.created(terms, 2)
        for _ in range(2):
            async with await SparrowClient.connect(hall.endpoint) as client:
                await client.tournaments.register(created.name)
    await asyncio.sleep(max(0.0, (created.end_time - SystemClock().now()).total_seconds() + 0.2))
    async with hall.process(), asyncio.timeout(WITHIN_S):
        await hall.ready()
        async with await SparrowClient.connect(hall.endpoint) as client:
            told = [seen async for seen in client.tournaments.watch(created.name)]
            [table] = [each async for each in client.tournaments.tables(created.name)]
    database = await Database.open(hall.database_url, "tournament")
    recorded = await database.store.load(UUID(created.name.partition("/")[2]))
    await database.close()
    steps = [(each.type.split(".")[2], each.occurred_at) for each in recorded]

    assert told[-1].tournament.ending is TournamentEnding.TIME
    assert [points for points in (line.points for line in told[-1].lines) if points] == []
    assert (table.over, table.cut) == (True, True)
    start, end = created.start_time, created.end_time
    assert steps[4:7] == [("tournament_started", start), ("round_seated", start), ("tournament_closing", end)]
    assert [name for name, _at in steps[7:]] == ["table_played", "tournament_finished"]
