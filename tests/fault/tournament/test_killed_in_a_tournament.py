"""Processes killed at the steps of a tournament: each step happens once, and every prize is paid once.

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
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest

from libs.client.calls import Retries
from libs.client.client import SparrowClient
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
CELLS = (
    # Creating, opening and three registrations are steps 1 to 5.
    ("tournament.append_sent:kill:6", TERMS),  # the start instant
    ("tournament.committed:kill:6", TERMS),
    ("tournament.tables_due:kill", TERMS),  # between seating and the table
    ("match.tables_begun:kill", TERMS),
    ("match.tables_committed:kill", TERMS),
    ("tournament.tables_asked:kill", TERMS),
    ("tournament.append_sent:kill:7", TERMS),  # the last report, and prizes
    ("tournament.committed:kill:7", TERMS),
    ("tournament.table_reported:kill", TERMS),
    ("tournament.append_sent:kill:7", CUT),  # the end instant
    ("tournament.committed:kill:7", CUT),
    ("tournament.append_sent:kill:8", CUT),
    ("ledger.rows_in:kill", TERMS),  # paying
    ("ledger.commit_sent:kill", TERMS),
    ("ledger.committed:kill", TERMS),
)
CELLS_A_RUN = 2
FACTS = {
    "tournament_started": 1,
    "round_seated": 1,
    "table_played": 1,
    "tournament_finished": 1,
    "prizes_awarded": 1,
}


@dataclass
class Hall:
    """Where processes of all services but MCR run, one after the other, on one database."""

    database_url: str
    nats_url: str
    keys_dir: Path
    port: int

    @asynccontextmanager
    async def process(self, fault: str = "") -> AsyncIterator[ServiceProcess]:
        """Run a process, armed or not; it is gone afterwards."""
        settings = {
            "SPARROW_DATABASE_URL": self.database_url,
            "SPARROW_NATS_URL": self.nats_url,
            "SPARROW_KEYS_DIR": str(self.keys_dir),
            "SPARROW_PORT": str(self.port),
            "SPARROW_LOG_LEVEL": "error",
            "SPARROW_SERVICE_ADDRESSES": json.dumps({"mcr": "127.0.0.1:1"}),
            "SPARROW_FAULT": fault,
        }
        process = ServiceProcess(["match", "solitaire", "ledger", "account", "tournament"], settings)
        try:
            yield process
        finally:
            await process.end()

    async def ready(self) -> None:
        """Wait until it answers."""
        channel = grpc.aio.insecure_channel(self.endpoint, options=[("grpc.use_local_subchannel_pool", 1)])
        await asyncio.wait_for(channel.channel_ready(), READY_S)
        await channel.close()

    @property
    def endpoint(self) -> str:
        """Where every process listens."""
        return f"127.0.0.1:{self.port}"

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
    yield Hall(database_url, nats.url, tmp_path, free_port(secrets.token_hex(4)))
    nats.remove()


async def test_a_kill_at_any_step_makes_no_step_happen_twice_or_never(hall: Hall) -> None:
    """Killed, and begun again, while players play on: one start, one table, one end, every prize once."""
    seed = int(os.environ.get("SPARROW_FAULT_SEED") or secrets.randbelow(1_000_000))
    cells = CELLS if os.environ.get("SPARROW_FAULT_ALL") else Random(seed).sample(CELLS, CELLS_A_RUN)
    print(f"seed {seed}: {[fault for fault, _terms in cells]}")  # noqa: T201 to repeat it
    for fault, terms in cells:
        await _one_cell(hall, fault, terms)


async def _one_cell(hall: Hall, fault: str, terms: TournamentTerms) -> None:
    retries = Retries(for_s=60)
    async with AsyncExitStack() as stack:
        async with hall.process(fault) as doomed, asyncio.timeout(WITHIN_S):
            await hall.ready()
            clients = [
                await stack.enter_async_context(await SparrowClient.connect(hall.endpoint, retries=retries))
                for _ in range(PLAYERS)
            ]
            created = await hall.created(terms, 2)
            for client in clients:
                await client.tournaments.register(created.name)
            playing = asyncio.gather(
                *(take_part(client, created.name, number) for number, client in enumerate(clients))
            )
            assert await doomed.wait() == -signal.SIGKILL, fault
        async with hall.process(), asyncio.timeout(WITHIN_S):
            told = await playing
            await _all_is_paid(clients)
    ending = TournamentEnding.TIME if terms is CUT else TournamentEnding.ROUNDS
    assert {seen[-1].tournament.ending for seen, _games in told} == {ending}, fault
    await _check(hall, created, fault)


async def _all_is_paid(clients: list[SparrowClient]) -> None:
    """Wait for the cup of the winner; prizes are taken in together."""
    while not any([(await client.wallet.balances()).cups for client in clients]):  # noqa: ASYNC110
        await asyncio.sleep(0.1)


async def _check(hall: Hall, created: Tournament, fault: str) -> None:
    """Compare the facts with what they say themselves, and with what the others did."""
    tournament_id = UUID(created.name.partition("/")[2])
    database = await Database.open(hall.database_url, "tournament")
    try:
        recorded = await database.store.load(tournament_id)
        paid = await database.pool.fetch(
            "SELECT key FROM ledger.transfer WHERE key LIKE $1", f"tournament/{tournament_id}/%"
        )
        timers = await database.pool.fetchval("SELECT count(*) FROM timer")
        matches = await database.pool.fetchval(
            "SELECT count(*) FROM match.tournament_table WHERE tournament_id = $1", tournament_id
        )
        parked = await database.pool.fetchval("SELECT count(*) FROM parked")
    finally:
        await database.close()
    facts: list[Any] = [TournamentCodec().decode(each) for each in recorded]
    counts = {name: sum(each.type.split(".")[2] == name for each in recorded) for name in FACTS}
    at = {each.type.split(".")[2]: each.occurred_at for each in recorded}

    assert differences(facts) == [], fault
    assert counts == FACTS, fault
    assert at["tournament_started"] == at["round_seated"] == created.start_time, fault
    assert matches == 1, fault
    awards = next(fact.awards for fact in facts if type(fact).__name__ == "PrizesAwarded")
    goods = sum(bool(a.goods.points) + bool(a.goods.jokers) + bool(a.goods.cup) for a in awards)
    assert len(paid) == len({row["key"] for row in paid}) == goods, fault
    assert (timers, parked) == (0, 0), fault


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
