"""Private pool matches by invitation: how many sit down, what for, and who has agreed to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest

from libs.pb.sparrow.match.v1 import pool_pb2, ticket_pb2
from libs.pb.sparrow.match.v1 import private_game_service_pb2 as pb
from libs.pb.sparrow.match.v1.private_game_service_pb2_grpc import PrivateGameServiceStub
from tests.support.edge import refused
from tests.support.pool_player import PoolHall, PoolPlayer, pools_served
from tests.support.rematches import Asked

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[PoolHall]:
    """The served pool."""
    async with pools_served(database_url) as served:
        yield served


async def open_match(
    player: PoolPlayer,
    seats: int = 0,
    stake: int = 0,
    queue: ticket_pb2.Queue.ValueType = ticket_pb2.QUEUE_POOL,
) -> ticket_pb2.Ticket:
    """Open a private match."""
    stub: Any = PrivateGameServiceStub(player.edge.channel)
    request = pb.CreatePrivateGameRequest(queue=queue, seats=seats, stake=stake, request_id=str(uuid4()))
    return (await stub.CreatePrivateGame(request, metadata=player.metadata)).ticket  # type: ignore[no-any-return]


async def join(player: PoolPlayer, invitation: str, stake_max: int = 0) -> ticket_pb2.Ticket:
    """Take a seat."""
    stub: Any = PrivateGameServiceStub(player.edge.channel)
    request = pb.JoinPrivateGameRequest(
        invitation_code=invitation, stake_max=stake_max, request_id=str(uuid4())
    )
    return (await stub.JoinPrivateGame(request, metadata=player.metadata)).ticket  # type: ignore[no-any-return]


async def test_a_private_pool_match_begins_with_its_last_seat_for_the_stake_of_the_table(
    hall: PoolHall,
) -> None:
    """Three by the link, at once, not after ten seconds; each pays what was said when it was opened."""
    three = [PoolPlayer(hall.edge) for _ in range(3)]
    for player in three:
        await hall.give_chips(player, 40)
    opened = await open_match(three[0], seats=3, stake=35)
    await join(three[1], opened.invitation_link, stake_max=35)
    assert await hall.count("SELECT count(*) FROM live_seat") == 0
    last = await join(three[2], opened.invitation_code, stake_max=1_000)
    name = await three[0].seated()
    game = await hall.countdown(name, three[1])

    assert (opened.seats, opened.stake, last.stake) == (3, 35, 35)
    assert opened.invitation_link == f"sparrow:game/{opened.invitation_code}"
    assert {await player.seated() for player in three} == {name}
    assert (game.stake, game.pot, game.state) == (35, 105, pool_pb2.POOL_STATE_COUNTDOWN)
    assert [await hall.chips(player) for player in three] == [5, 5, 5]


async def test_nobody_pays_a_stake_without_having_agreed_to_it(hall: PoolHall) -> None:
    """The refusal names the stake; it is no wrong code, and takes no seat."""
    ana, ben = PoolPlayer(hall.edge), PoolPlayer(hall.edge)
    code = (await open_match(ana, stake=500)).invitation_code
    blind = await refused(join(ben, code))
    low = await refused(join(ben, code, stake_max=499))
    await join(ben, code, stake_max=500)

    assert (blind.reason, blind.metadata["stake"]) == ("STAKE_HIGHER", "500")
    assert low.reason == "STAKE_HIGHER"
    assert await ben.seated() == await ana.seated()


async def test_two_play_for_the_stake_of_the_queue_where_nothing_else_is_said(hall: PoolHall) -> None:
    """A hundred chips."""
    ana, ben = PoolPlayer(hall.edge), PoolPlayer(hall.edge)
    opened = await open_match(ana)
    await join(ben, opened.invitation_code, stake_max=100)
    assert (opened.seats, opened.stake) == (2, 100)
    assert (await ana.game(await ana.seated())).stake == 100


@pytest.mark.parametrize(("seats", "stake"), [(1, 0), (5, 0), (-1, 0), (2, -1), (2, 100_001)])
async def test_seats_and_stakes_outside_their_ranges_are_refused_by_name(
    hall: PoolHall, seats: int, stake: int
) -> None:
    """Two to four, one to 100,000 chips."""
    found = await refused(open_match(PoolPlayer(hall.edge), seats, stake))
    assert found.reason == "FIELD_INVALID"
    assert found.metadata["field"] == ("stake" if seats == 2 else "seats")


async def test_other_modes_have_neither_seats_nor_stakes_to_choose(hall: PoolHall) -> None:
    """A quick match is for two and for nothing."""
    found = await refused(open_match(PoolPlayer(hall.edge), 2, 0, ticket_pb2.QUEUE_QUICK_MATCH))
    assert found.reason == "FIELD_INVALID"


async def test_a_rematch_of_a_private_match_is_for_its_stake(hall: PoolHall) -> None:
    """Not for that of the queue."""
    ana, ben = PoolPlayer(hall.edge), PoolPlayer(hall.edge)
    for player in (ana, ben):
        await hall.give_chips(player, 50)
    code = (await open_match(ana, stake=7)).invitation_code
    await join(ben, code, stake_max=7)
    name = await ana.seated()
    await hall.countdown(name, ana)
    hall.step(seconds=3)
    pair = (await hall.pool_solution(name))[0]
    for player in (ana, ben):
        await player.remove(name, *pair, 0)
        await player.leave_pool(name)
    await Asked(ana, name).accept()
    begun = await Asked(ben, name).accept()
    assert begun.stake == (await hall.countdown(begun.next_match, ana)).stake == 7
