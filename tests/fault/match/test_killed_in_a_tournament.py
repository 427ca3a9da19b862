"""A process that is killed while tables of a tournament begin or are cut: each begins once and ends once.

Whoever called makes the same call again; nobody else has to know.
"""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest

from libs.pb.sparrow.match.v1 import match_pb2, ticket_pb2
from libs.pb.sparrow.match.v1 import match_service_pb2 as match
from libs.pb.sparrow.match.v1 import tournament_match_service_pb2 as pb
from libs.pb.sparrow.match.v1.tournament_match_service_pb2_grpc import TournamentMatchServiceStub
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.embedded.ports import free_port
from libs.runtime.systemclock import SystemClock
from libs.runtime.tokens import Keys, service_token
from tests.fault.match.test_killed_in_a_round import Hall
from tests.support.edge import bearer
from tests.support.tournament_hall import TournamentRound

pytestmark = pytest.mark.timeout(240)
WITHIN_S = 30
COUNT = "SELECT count(*) FROM event WHERE type = 'sparrow.match.{}.v1'"


@pytest.fixture
def hall(database_url: str) -> Iterator[Hall]:
    """A hall for five, without a process yet."""
    with tempfile.TemporaryDirectory(prefix="sparrow-test-") as folder:
        ensure_keys(Path(folder))
        accounts = tuple(uuid4() for _ in range(5))
        yield Hall(database_url, Path(folder), free_port(secrets.token_hex(4)), accounts=accounts)


def _round(hall: Hall, ends_in: timedelta = timedelta(hours=1)) -> TournamentRound:
    tables = [hall.accounts[:3], hall.accounts[3:]]
    return TournamentRound(SystemClock().now() + ends_in, [*tables])


def _as_tournament(hall: Hall) -> list[tuple[str, str]]:
    return bearer(service_token(Keys.load(hall.keys_dir), "tournament", SystemClock().now()))


async def _begin(hall: Hall, played: TournamentRound) -> None:
    stub: Any = TournamentMatchServiceStub(hall.channel)
    await stub.BeginTournamentMatches(played.request, metadata=_as_tournament(hall))


async def _cut(hall: Hall, match_ids: list[UUID]) -> list[str]:
    stub: Any = TournamentMatchServiceStub(hall.channel)
    request = pb.CutTournamentMatchesRequest(match_ids=map(str, match_ids))
    request.cut_time.FromDatetime(SystemClock().now())
    reply = await stub.CutTournamentMatches(request, metadata=_as_tournament(hall))
    return list(reply.unknown_match_ids)


async def _reached(hall: Hall, query: str, number: int) -> None:
    """Wait until so much has come about by itself."""
    async with asyncio.timeout(WITHIN_S):
        while await hall.count(query) < number:  # noqa: ASYNC110 another process sets no event
            await asyncio.sleep(0.1)


def _is_gone(error: pytest.ExceptionInfo[grpc.aio.AioRpcError]) -> bool:
    return error.value.code() == grpc.StatusCode.UNAVAILABLE


@pytest.mark.parametrize("point", ["match.tables_begun", "match.tables_committed"])
async def test_killed_while_tables_begin_the_same_call_begins_each_once(hall: Hall, point: str) -> None:
    """All tables or none: a ticket is cancelled with them or still waits."""
    played = _round(hall)
    async with hall.process(f"{point}:kill") as stub:
        request = ticket_pb2.CreateTicketRequest(queue=ticket_pb2.QUEUE_ARENA, request_id=str(uuid4()))
        await stub.CreateTicket(request, metadata=hall.player(0))
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await _begin(hall, played)
        assert _is_gone(error)
    is_in = point == "match.tables_committed"
    waiting = "SELECT count(*) FROM ticket WHERE state = 'waiting'"
    seen = [await hall.count(query) for query in (COUNT.format("round_dealt"), waiting)]
    async with hall.process() as stub:
        await _begin(hall, played)
        await _begin(hall, played)
        told: match.GetMatchResponse = await stub.GetMatch(
            match.GetMatchRequest(name=played.names[0]), metadata=hall.player(0)
        )
        await _reached(hall, COUNT.format("round_started"), 2)

    assert seen == ([2, 0] if is_in else [0, 1])
    assert told.match.mode == match_pb2.MODE_TOURNAMENT
    assert await hall.count(COUNT.format("match_created")) == 2
    assert await hall.count(COUNT.format("round_dealt")) == 2
    assert await hall.count("SELECT count(*) FROM live_seat") == 5
    assert await hall.count(waiting) == 0


@pytest.mark.parametrize("point", ["match.append_sent", "match.table_cut"])
async def test_killed_while_an_operator_cuts_the_same_call_cuts_the_rest(hall: Hall, point: str) -> None:
    """Each table ends once, cut, and frees its seats."""
    played = _round(hall)
    async with hall.process() as stub:
        await _begin(hall, played)
        await _reached(hall, COUNT.format("round_started"), 2)
        assert stub is not None
    async with hall.process(f"{point}:kill"):
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await _cut(hall, played.match_ids)
        assert _is_gone(error)
    async with hall.process():
        again = [await _cut(hall, played.match_ids) for _ in range(2)]

    assert again == [[], []]
    assert await hall.count(COUNT.format("round_ended")) == 2
    assert await hall.count(COUNT.format("tournament_match_ended")) == 2
    assert await hall.count("SELECT count(*) FROM live_seat") == 0
    assert await hall.count("SELECT count(*) FROM timer") == 0


async def test_killed_over_the_end_of_the_tournament_tables_are_cut_at_it(hall: Hall) -> None:
    """The process that comes later ends them at the instant of the end, as they stood then."""
    played = _round(hall, timedelta(seconds=6))
    async with hall.process():
        await _begin(hall, played)
        await _reached(hall, COUNT.format("round_started"), 2)
    remaining_s = (played.ends_at - SystemClock().now()).total_seconds()
    await asyncio.sleep(max(0.0, remaining_s))
    async with hall.process():
        await _reached(hall, COUNT.format("tournament_match_ended"), 2)

    ended = COUNT.format("tournament_match_ended")
    at_the_end = f"{ended} AND occurred_at = '{played.ends_at.isoformat()}'"
    assert await hall.count(at_the_end) == 2
    assert await hall.count("SELECT count(*) FROM live_seat") == 0
