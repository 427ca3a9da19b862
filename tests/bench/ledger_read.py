"""How fast boards are read: `python -m tests.bench.ledger_read [seconds] [players] [processes]`.

Of 1,000,000 players where nothing else is said. A ledger alone (`python -m services.ledger`) serves over
gRPC, on a PostgreSQL that flushes as in production, the load generator beside it. Players are rows made by
SQL, with their histogram, as the fold would have left them.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final
from uuid import UUID, uuid4

import grpc
import uvloop

from libs.eventstore.migrations import upgrade
from libs.eventstore.postgres.database import Database
from libs.pb.sparrow.ledger.v1 import ledger_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as pb
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2_grpc as pb_grpc
from libs.runtime.config import SERVICES
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.embedded.ports import free_port
from libs.runtime.health_probe import is_serving
from libs.runtime.tokens import Keys, access_token, service_token
from services.ledger.domain.windows import Board
from services.ledger.projections.reads import BoardReader
from services.ledger.wire.messages import timestamp
from tests.bench.bulk_loading import connect, settle, without_indexes
from tests.bench.figures import print_figure
from tests.support.servers import Databases, NatsServer, PostgresServer

PLAYERS: Final = 1_000_000
CALLERS: Final = 32
RUNS: Final = 5
LIST_BOARD_ENTRIES: Final = "/sparrow.ledger.v1.LedgerService/ListBoardEntries"
PARSED_SHARE: Final = 0.02
START_S: Final = 60.0
POSTS: Final = 200

# Most have few points and tie; the best have tens of thousands. Account n is md5(n).
FILL: Final = """
INSERT INTO board_row_g{generation} (board, day, account, points)
SELECT s.board, s.day, md5(n::text)::uuid, 5 * (1 + floor(power(random(), 4) * s.most))::bigint
FROM generate_series(1, $1) AS n
CROSS JOIN (
    VALUES (1::smallint, '-infinity'::date, 12000), (2::smallint, $2::date, 700), (3::smallint, $3::date, 100)
) AS s (board, day, most)
"""
COUNT: Final = """
INSERT INTO board_count_g{generation} (board, day, coarse, bucket, players)
SELECT board, day, false, points, count(*) FROM board_row_g{generation} GROUP BY board, day, points
UNION ALL
SELECT board, day, true, points >> 8, count(*) FROM board_row_g{generation} GROUP BY board, day, points >> 8
"""

Call = Callable[[random.Random], Awaitable[Any]]


class Served:
    """A ledger in a process of its own."""

    def __init__(self, home: Path, database_url: str, nats_url: str, role: str = "both") -> None:
        """Write its settings and start it."""
        home.mkdir(exist_ok=True)
        self.port = free_port(f"{home}/bench")
        keys = home.parent / "keys"
        ensure_keys(keys)
        settings = {
            "SPARROW_PORT": str(self.port),
            "SPARROW_DATABASE_URL": database_url,
            "SPARROW_NATS_URL": nats_url,
            "SPARROW_KEYS_DIR": str(keys),
            "SPARROW_DATA_DIR": str(home / "absent"),
            # whom it follows is not there: it goes on without
            "SPARROW_SERVICE_ADDRESSES": json.dumps(dict.fromkeys(SERVICES, "127.0.0.1:1")),
        }
        bare = {key: value for key, value in os.environ.items() if not key.startswith("SPARROW_")}
        command = [sys.executable, "-m", "services.ledger", "--role", role]
        with (home / "ledger.log").open("ab") as log:
            self.process = subprocess.Popen(command, env={**bare, **settings}, stdout=log, stderr=log)
        deadline = time.monotonic() + START_S
        while not is_serving(f"127.0.0.1:{self.port}"):
            assert self.process.poll() is None, (home / "ledger.log").read_text()[-2_000:]
            assert time.monotonic() < deadline, "the ledger never served"
            time.sleep(0.1)
        self.keys = Keys.load(keys)

    def stub(self) -> Any:
        """Return a stub on a channel of its own."""
        options = [("grpc.use_local_subchannel_pool", 1)]
        return pb_grpc.LedgerServiceStub(grpc.aio.insecure_channel(f"127.0.0.1:{self.port}", options))

    def raw(self) -> Any:
        """Return ListBoardEntries whose answers stay bytes: the callers' time is not what is measured."""
        options = [("grpc.use_local_subchannel_pool", 1)]
        channel = grpc.aio.insecure_channel(f"127.0.0.1:{self.port}", options)
        serializer = pb.ListBoardEntriesRequest.SerializeToString
        return channel.unary_unary(LIST_BOARD_ENTRIES, request_serializer=serializer)

    def as_player(self) -> Any:
        """Return the metadata of a player's calls."""
        token, _ = access_token(self.keys, uuid4(), uuid4(), datetime.now(UTC))
        return [("authorization", f"Bearer {token}")]

    def as_service(self) -> Any:
        """Return the metadata of a service's calls."""
        return [("authorization", f"Bearer {service_token(self.keys, 'match', datetime.now(UTC))}")]


def account(number: int) -> UUID:
    """Return the account that SQL made of a number."""
    return UUID(bytes=hashlib.md5(str(number).encode(), usedforsecurity=False).digest())


async def fill(url: str, players: int) -> None:
    """Put players on the boards of the ledger's own day; wait for the boards to open first."""
    connection = await connect(url)
    generation = await connection.fetchval("SELECT generation FROM active_generation")
    while (day := await connection.fetchval("SELECT as_of_day FROM board_state")) is None:  # noqa: ASYNC110 as a client would
        await asyncio.sleep(0.1)
    monday = day - timedelta(days=day.weekday())
    async with without_indexes(connection, f"board_row_g{generation}", f"board_count_g{generation}"):
        await connection.execute(FILL.format(generation=generation), players, monday, day, timeout=600)
        await connection.execute(COUNT.format(generation=generation), timeout=600)
    await settle(connection)
    await connection.close()


async def per_second(call: Call, seconds: float) -> float:
    """Return how many calls a second 32 callers get answered."""
    done, until = 0, time.perf_counter() + seconds

    async def caller(number: int) -> None:
        nonlocal done
        chance = random.Random(number)
        while time.perf_counter() < until:
            await call(chance)
            done += 1

    began = time.perf_counter()
    await asyncio.gather(*(caller(number) for number in range(CALLERS)))
    return done / (time.perf_counter() - began)


async def over_grpc(replicas: Sequence[Served], seconds: float, players: int) -> dict[str, float]:
    """Return pages a second over gRPC: of the top 100, and of 20 around a random player."""
    calls, me = [served.raw() for served in replicas], replicas[0].as_player()

    async def top(chance: random.Random) -> None:
        raw = await chance.choice(calls)(top_request, metadata=me)
        if chance.random() < PARSED_SHARE:
            assert len(pb.ListBoardEntriesResponse.FromString(raw).entries) == 100

    async def around(chance: random.Random) -> None:
        anchor = f"players/{account(chance.randrange(1, players + 1))}"
        request = pb.ListBoardEntriesRequest(board=ledger_pb2.BOARD_AMR, page_size=20, anchor=anchor)
        assert anchor.encode() in await chance.choice(calls)(request, metadata=me)

    top_request = pb.ListBoardEntriesRequest(board=ledger_pb2.BOARD_AMR, page_size=100)
    figures = {}
    for name, call in (("boards.top100_per_s", top), ("boards.around_per_s", around)):
        await per_second(call, 1.0)
        figures[name] = median([await per_second(call, seconds) for _ in range(RUNS)])
    return figures


async def inside(url: str, seconds: float, players: int) -> dict[str, float]:
    """Return the 99th percentile in ms of one answer after the other, inside the service."""
    database = await Database.open(url, "ledger")
    reader, chance = BoardReader(database), random.Random(3)
    boards = (Board.AMR, Board.WEEKLY, Board.DAILY)

    async def top() -> None:
        reader._pages.clear()  # as after a result: the page is read
        await reader.first_page(chance.choice(boards), 100)

    async def around() -> None:
        await reader.first_page(chance.choice(boards), 20, str(account(chance.randrange(1, players + 1))))

    async def rank() -> None:
        await reader.standings(str(account(chance.randrange(1, players + 1))))

    figures = {}
    for name, ask in (("top", top), ("around", around), ("rank", rank)):
        await ask()
        took, until = [], time.perf_counter() + seconds
        while time.perf_counter() < until:
            began = time.perf_counter()
            await ask()
            took.append(time.perf_counter() - began)
        figures[f"boards.{name}.p99_ms"] = quantiles(took, n=100)[98] * 1_000
    await database.close()
    return figures


async def shown(stub: Any, request: pb.ListBoardEntriesRequest, me: Any) -> set[str]:
    """Return the players on a page."""
    return {entry.player for entry in (await stub.ListBoardEntries(request, metadata=me)).entries}


async def visible(served: Served) -> dict[str, float]:
    """Return the 99th percentile in ms from the answer of a posted result to the board that shows it."""
    stub, took = served.stub(), []
    for _ in range(POSTS):
        player = f"players/{uuid4()}"
        order = pb.PostTransferRequest(
            key=f"match/{uuid4()}/quick/bench",
            asset=ledger_pb2.ASSET_POINTS,
            debit="house/points",
            credit=player,
            amount=1_000_000,
            reason="QUICK_MATCH",
            occurred_time=timestamp(datetime.now(UTC)),
            request_id=str(uuid4()),
        )
        await stub.PostTransfer(order, metadata=served.as_service())
        began = time.perf_counter()
        request = pb.ListBoardEntriesRequest(board=ledger_pb2.BOARD_DAILY, page_size=200)
        me = served.as_player()
        while player not in await shown(stub, request, me):  # noqa: ASYNC110 as a client would
            await asyncio.sleep(0.002)
        took.append(time.perf_counter() - began)
        await asyncio.sleep(random.random() * 0.1)
    return {"boards.visible.p99_ms": quantiles(took, n=100)[98] * 1_000}


@asynccontextmanager
async def at_a_million(players: int, replicas: int = 1) -> AsyncIterator[tuple[list[Served], str]]:
    """Serve a ledger with so many players, from so many processes."""
    postgres, nats = PostgresServer(durable=True), NatsServer()
    postgres.start()
    nats.start()
    served: list[Served] = []
    try:
        with tempfile.TemporaryDirectory(prefix="sparrow-bench-") as home:
            url = Databases(postgres.url).create(upgrade)
            for number in range(replicas):
                role = "serve" if number else "both"
                served.append(Served(Path(home) / str(number), url, nats.url, role))
            await fill(url, players)
            yield served, url
            for each in served:
                each.process.terminate()
                each.process.wait(timeout=30)
    finally:
        for each in served:
            each.process.kill()
        nats.remove()
        postgres.remove()


async def figures(seconds: float = 4.0, players: int = PLAYERS, replicas: int = 1) -> dict[str, float]:
    """Return all figures of reading; the two over gRPC are of so many serving processes."""
    async with at_a_million(players, replicas) as (served, url):
        found = await over_grpc(served, seconds, players)
        found |= await inside(url, seconds, players)
        found |= await visible(served[0])
    return found


def run(as_json: bool = True, arguments: Sequence[str] = ()) -> None:
    """Measure; figures are lines of JSON either way. Arguments: seconds, players, serving processes."""
    del as_json
    numbers = [float(argument) for argument in arguments if not argument.startswith("-")]
    seconds = numbers[0] if numbers else 4.0
    players = int(numbers[1]) if len(numbers) > 1 else PLAYERS
    replicas = int(numbers[2]) if len(numbers) > 2 else 1
    for name, value in uvloop.run(figures(seconds, players, replicas)).items():
        print_figure(name, value, "1/s" if name.endswith("per_s") else "ms")


if __name__ == "__main__":
    run(arguments=sys.argv[1:])
