"""Private games by invitation code in quick match and arena: who gets in, when they begin, what they pay."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.pb.sparrow.match.v1 import private_game_service_pb2 as pb
from libs.pb.sparrow.match.v1 import ticket_pb2
from libs.pb.sparrow.match.v1.private_game_service_pb2_grpc import PrivateGameServiceStub
from libs.queueing.store import TicketRows
from services.match.domain.queueing import Ticket
from services.match.domain.rivals.match_events import ArenaEnded, QuickMatchEnded
from services.match.wire.match_codec import decode_match_fact
from tests.support.edge import refused
from tests.support.round_player import Hall, RoundPlayer, quick_matches_served

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[Hall]:
    """The served game."""
    async with quick_matches_served(database_url) as served:
        yield served


def stub(hall: Hall) -> Any:
    """The calls."""
    return PrivateGameServiceStub(hall.edge.channel)


async def open_game(
    hall: Hall, player: RoundPlayer, queue: ticket_pb2.Queue.ValueType = ticket_pb2.QUEUE_QUICK_MATCH
) -> ticket_pb2.Ticket:
    """Open a game."""
    request = pb.CreatePrivateGameRequest(queue=queue, request_id=str(uuid4()))
    reply: pb.CreatePrivateGameResponse = await stub(hall).CreatePrivateGame(
        request, metadata=player.metadata
    )
    return reply.ticket


async def join(
    hall: Hall, player: RoundPlayer, code: str, request_id: str | None = None
) -> ticket_pb2.Ticket:
    """Take a seat."""
    request = pb.JoinPrivateGameRequest(invitation_code=code, request_id=request_id or str(uuid4()))
    ticket: ticket_pb2.Ticket = (await stub(hall).JoinPrivateGame(request, metadata=player.metadata)).ticket
    return ticket


async def facts(hall: Hall, name: str) -> list[Any]:
    """The facts of a match."""
    recorded = await hall.database.store.load(UUID(name.removeprefix("matches/")))
    return [decode_match_fact(event) for event in recorded]


async def test_a_private_quick_match_begins_when_it_is_full_and_pays_no_points(hall: Hall) -> None:
    """The winner clears the board and gets nothing for it: friends cannot farm each other."""
    ana, ben = RoundPlayer(hall.edge), RoundPlayer(hall.edge)
    code = (await open_game(hall, ana)).invitation_code
    await join(hall, ben, f"{code[:4].lower()}-{code[4:]}")
    name = await ana.seated()
    assert await ben.seated() == name
    hall.step(seconds=3)
    await ana.clear_board(name, await hall.solution(name))
    over = await ana.get(name)
    told = await facts(hall, name)

    assert len(code) == 8
    assert [seat.points for seat in over.round_result.seats] == [0, 0]
    assert told[0].private
    assert isinstance(told[-1], QuickMatchEnded)
    assert told[-1].points == (0, 0)


async def test_whose_friend_is_seated_elsewhere_meanwhile_waits_with_the_code(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by the start of a group's race: no match begins, and whoever joins next fills the table."""
    ana, ben, cat = (RoundPlayer(hall.edge) for _ in range(3))
    code = (await open_game(hall, ana)).invitation_code
    take_invited = TicketRows.take_invited

    async def before_a_start(
        rows: TicketRows[Ticket], connection: AsyncConnection, code: str, now: datetime
    ) -> list[Ticket]:
        found = await take_invited(rows, connection, code, now)
        seated = "INSERT INTO live_seat VALUES ($1, $2, now()) ON CONFLICT DO NOTHING"
        await hall.database.pool.execute(seated, ana.account_id, uuid4())
        return found

    monkeypatch.setattr(TicketRows, "take_invited", before_a_start)
    waiting = await join(hall, ben, code)
    seats = await hall.count("SELECT count(*) FROM live_seat")
    await join(hall, cat, code)

    assert (waiting.state, seats) == (ticket_pb2.TICKET_STATE_WAITING, 1)
    assert await ben.seated() == await cat.seated()


async def test_a_private_arena_begins_with_its_fourth_player_and_pays_no_points(hall: Hall) -> None:
    """Three rounds like any arena."""
    four = [RoundPlayer(hall.edge) for _ in range(4)]
    code = (await open_game(hall, four[0], ticket_pb2.QUEUE_ARENA)).invitation_code
    for player in four[1:]:
        ticket = await join(hall, player, code)
        assert ticket.queue == ticket_pb2.QUEUE_ARENA
    names = {await player.seated() for player in four}
    assert len(names) == 1
    name = names.pop()
    hall.step(seconds=3)
    await four[0].take(name, *(await hall.solution(name))[0], 0)
    for _ in range(3):
        hall.step(seconds=25)
        await four[0].get(name)
        hall.step(seconds=10)
        await four[0].get(name)
    end = (await facts(hall, name))[-1]

    assert isinstance(end, ArenaEnded)
    assert (sorted(end.scores), end.points) == ([0, 0, 0, 100], (0, 0, 0, 0))


async def test_invited_players_wait_in_no_queue(hall: Hall) -> None:
    """Two of them with codes of their own, and one in the queue: nobody is matched with a stranger."""
    ana, ben, cat, dan = (RoundPlayer(hall.edge) for _ in range(4))
    await open_game(hall, ana)
    await open_game(hall, ben)
    await cat.wait()
    await asyncio.sleep(0.6)
    assert await hall.count("SELECT count(*) FROM live_seat") == 0
    await dan.wait()

    assert await cat.seated() == await dan.seated()


async def test_an_account_never_has_two_seats(hall: Hall) -> None:
    """Not two in one game, not one beside a ticket or a match."""
    ana, ben, cat = (RoundPlayer(hall.edge) for _ in range(3))
    code = (await open_game(hall, ana)).invitation_code
    own = await refused(join(hall, ana, code))
    twice = await refused(open_game(hall, ana))
    await cat.wait()
    queued = await refused(join(hall, cat, code))
    repeated = str(uuid4())
    first = await join(hall, ben, code, repeated)
    again = await join(hall, ben, code, repeated)
    await ana.seated()
    seated = await refused(open_game(hall, ana))

    assert [each.reason for each in (own, twice, queued)] == ["ALREADY_QUEUED"] * 3
    assert first == again
    assert seated.reason == "ALREADY_SEATED"


async def test_of_many_who_join_at_once_one_gets_the_last_seat(hall: Hall) -> None:
    """The others are told that the game waits no more."""
    ana, *others = (RoundPlayer(hall.edge) for _ in range(6))
    code = (await open_game(hall, ana)).invitation_code
    answers = await asyncio.gather(*(join(hall, other, code) for other in others), return_exceptions=True)

    assert sum(isinstance(answer, ticket_pb2.Ticket) for answer in answers) == 1
    assert await hall.count("SELECT count(*) FROM live_seat") == 2
    assert (await refused(join(hall, RoundPlayer(hall.edge), code))).reason == "INVITATION_EXPIRED"


async def test_a_cancelled_or_expired_game_cannot_be_joined(hall: Hall) -> None:
    """After half an hour, or when its player does not want to wait any more."""
    ana, ben, cat = (RoundPlayer(hall.edge) for _ in range(3))
    cancelled = await open_game(hall, ana)
    request = ticket_pb2.CancelTicketRequest(name=cancelled.name, request_id=str(uuid4()))
    await ana.stub.CancelTicket(request, metadata=ana.metadata)
    expired = await open_game(hall, ben)
    hall.step(minutes=30)
    found = [await refused(join(hall, cat, each.invitation_code)) for each in (cancelled, expired)]

    assert [each.reason for each in found] == ["INVITATION_EXPIRED"] * 2


async def test_codes_cannot_be_found_by_trying(hall: Hall) -> None:
    """Ten wrong ones in ten minutes, then not even a right one; what can be no code counts for nothing."""
    ana, ben = RoundPlayer(hall.edge), RoundPlayer(hall.edge)
    code = (await open_game(hall, ana)).invitation_code
    malformed = await refused(join(hall, ben, "I0I0"))
    wrong = [await refused(join(hall, ben, "A" * 7 + letter)) for letter in "ABCDEFGHJK"]
    limited = await refused(join(hall, ben, code))
    hall.step(minutes=10)
    await join(hall, ben, code)

    assert malformed.reason == "FIELD_INVALID"
    assert {each.reason for each in wrong} == {"NOT_FOUND"}
    assert limited.reason == "RATE_LIMIT"
    assert await ben.seated() == await ana.seated()


async def test_only_modes_with_fixed_seats_are_played_so(hall: Hall) -> None:
    """Races have groups of their own."""
    found = await refused(open_game(hall, RoundPlayer(hall.edge), ticket_pb2.QUEUE_RACE))

    assert found.reason == "FIELD_INVALID"
