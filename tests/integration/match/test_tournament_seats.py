"""Who is seated at tables of tournaments while they wait, play or are seated elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any
from uuid import uuid4

import grpc
import pytest

from libs.pb.sparrow.match.v1 import private_game_service_pb2 as private_pb
from libs.pb.sparrow.match.v1 import ticket_pb2
from libs.pb.sparrow.match.v1.private_game_service_pb2_grpc import PrivateGameServiceStub
from tests.support.edge import refused
from tests.support.round_player import Hall, RoundPlayer, quick_matches_served
from tests.support.tournament_hall import begin, cut, end_of, round_of

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[Hall]:
    """The served game."""
    async with quick_matches_served(database_url) as served:
        yield served


def people(hall: Hall, number: int) -> list[RoundPlayer]:
    """So many players."""
    return [RoundPlayer(hall.edge) for _ in range(number)]


async def test_whoever_waited_in_a_queue_waits_no_more_and_is_told(hall: Hall) -> None:
    """The ticket is cancelled, a new one is refused with the match's name until that is over."""
    ana, ben = people(hall, 2)
    await ana.wait(ticket_pb2.QUEUE_ARENA)
    request = ticket_pb2.WatchTicketRequest(name="tickets/current")
    told = aiter(ana.stub.WatchTicket(request, metadata=ana.metadata))
    first = await anext(told)
    played = round_of(hall, [ana, ben])
    await begin(hall, played)
    async with asyncio.timeout(10):
        last = [message async for message in told][-1]
    again = await refused(ana.wait())
    await cut(hall, played.match_ids, hall.edge.clock.now())

    assert first.ticket.state == ticket_pb2.TICKET_STATE_WAITING
    assert last.end.reason == "CANCELLED"
    assert (again.reason, again.metadata["match"]) == ("ALREADY_SEATED", played.names[0])
    assert (await ana.wait()).state == ticket_pb2.TICKET_STATE_WAITING


async def test_whoever_plays_elsewhere_has_both_seats(hall: Hall) -> None:
    """The quick match keeps the live seat, and the tournament's table holds one in which one can play."""
    ana, ben, cem = people(hall, 3)
    quick = await hall.begin(ana, ben)
    played = round_of(hall, [ana, cem])
    await begin(hall, played)
    hall.step(seconds=3)
    in_both = [await ana.take(name, *(await hall.solution(name))[0], 0) for name in (quick, played.names[0])]
    seated = await refused(ana.wait())
    await ana.leave(quick)
    await ben.leave(quick)
    await cut(hall, played.match_ids, hall.edge.clock.now())

    assert all(update.own_round.round_score > 0 for update in in_both)
    assert seated.metadata["match"] == quick
    assert await hall.count("SELECT count(*) FROM live_seat") == 0
    end = await end_of(hall, played.match_ids[0])
    assert end is not None
    assert end.acted == (True, False)


async def test_beginning_tables_while_their_players_are_seated_elsewhere_undoes_no_step(hall: Hall) -> None:
    """Tickets, private games and tournaments reach for the same accounts at once: each table begins.

    Nobody waits crosswise (PostgreSQL would end one of the two with an error), nobody has two live seats, and
    every ticket led somewhere or was cancelled.
    """
    for _ in range(6):
        twelve = people(hall, 12)
        rounds = [
            round_of(hall, twelve[:4], twelve[4:8], twelve[8:]),
            round_of(hall, twelve[1::3], twelve[2::3], [twelve[0], twelve[3]]),
        ]

        async def wait(player: RoundPlayer) -> None:
            with suppress(grpc.aio.AioRpcError):  # seated by a tournament already
                await player.wait()

        async def invite(host: RoundPlayer, guest: RoundPlayer) -> None:
            stub: Any = PrivateGameServiceStub(hall.edge.channel)
            with suppress(grpc.aio.AioRpcError):
                opened = await stub.CreatePrivateGame(
                    private_pb.CreatePrivateGameRequest(
                        queue=ticket_pb2.QUEUE_QUICK_MATCH, request_id=str(uuid4())
                    ),
                    metadata=host.metadata,
                )
                await stub.JoinPrivateGame(
                    private_pb.JoinPrivateGameRequest(
                        invitation_code=opened.ticket.invitation_code, request_id=str(uuid4())
                    ),
                    metadata=guest.metadata,
                )

        await asyncio.gather(
            *(wait(player) for player in twelve[:8]),
            *(invite(*pair) for pair in (twelve[8:10], twelve[10:])),
            *(begin(hall, played) for played in rounds),
        )
        for played in rounds:
            await begin(hall, played)
            for match_id in played.match_ids:
                assert await hall.rounds(f"matches/{match_id}")
        waiting = "SELECT count(*) FROM ticket t JOIN live_seat USING (account_id) WHERE t.state = 'waiting'"
        assert await hall.count(waiting) == 0
    deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    assert await hall.count(deadlocks) == 0


async def test_a_seat_that_a_matchmaker_is_about_to_give_is_waited_for(hall: Hall) -> None:
    """Whoever took the ticket first goes on; then the table begins beside that match."""
    ana, ben = people(hall, 2)
    await ana.wait(ticket_pb2.QUEUE_ARENA)
    played, elsewhere = round_of(hall, [ana, ben]), uuid4()
    async with hall.database.pool.acquire() as matchmaker, matchmaker.transaction():
        await matchmaker.fetch("SELECT FROM ticket WHERE state = 'waiting' FOR UPDATE")
        beginning = asyncio.create_task(begin(hall, played))
        done, _waiting = await asyncio.wait({beginning}, timeout=0.3)
        await matchmaker.execute(
            "INSERT INTO live_seat (account_id, match_id, since) VALUES ($1, $2, now())",
            *(ana.account_id, elsewhere),
        )
        await matchmaker.execute(
            "UPDATE ticket SET state = 'matched', ended_at = now(), match_id = $1", elsewhere
        )
    await beginning

    assert not done
    assert await hall.count("SELECT count(*) FROM ticket WHERE state = 'matched'") == 1
    assert (
        await hall.database.pool.fetchval(
            "SELECT match_id FROM live_seat WHERE account_id = $1", ana.account_id
        )
        == elsewhere
    )
    assert await hall.rounds(played.names[0])
