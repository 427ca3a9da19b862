"""Rematches of more than two, and of stakes: pool matches and races of the queue, over gRPC."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from libs.pb.sparrow.match.v1 import pool_pb2, race_pb2, rematch_pb2
from services.match.domain.pool.events import PoolDealt
from services.match.domain.race.events import RaceDealt
from tests.support.edge import refused
from tests.support.pool_player import PoolHall, PoolPlayer, pools_served
from tests.support.racers import RacePlayer, Track, races_served
from tests.support.rematches import Asked
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[PoolHall]:
    """The served pool."""
    async with pools_served(database_url) as served:
        yield served


@pytest.fixture
async def track(database_url: str) -> AsyncIterator[Track]:
    """The served races."""
    async with races_served(database_url) as served:
        yield served


async def pot_won(hall: PoolHall, *players: PoolPlayer) -> str:
    """A pool match of these players that is over: everybody took a pair and left."""
    name = await hall.started(*players)
    pair = (await hall.pool_solution(name))[0]
    for player in players:
        await player.remove(name, *pair, 0)
        await player.leave_pool(name)
    return name


async def settled(hall: PoolHall, name: str) -> None:
    """Wait until nothing lies in the escrow of a match any more."""
    async with asyncio.timeout(10):
        while await hall.in_escrow(name):  # noqa: ASYNC110 rows set no event
            await asyncio.sleep(0.05)


async def test_a_pool_match_is_played_again_for_the_same_stake_paid_again(hall: PoolHall) -> None:
    """On another deal; the pot holds what those pay who accepted."""
    ana, ben = PoolPlayer(hall.edge), PoolPlayer(hall.edge)
    name = await pot_won(hall, ana, ben)
    await settled(hall, name)
    offered = (await ana.game(name)).result
    await Asked(ana, name).accept()
    begun = await Asked(ben, name).accept()
    game = await hall.countdown(begun.next_match, ana)
    before, after = await hall.pool_deal(name), await hall.pool_deal(begun.next_match)

    assert offered.HasField("rematch_offer")
    assert (begun.stake, game.stake, game.pot) == (100, 100, 200)
    assert await hall.in_escrow(begun.next_match) == 200
    assert before.commitment != after.commitment


async def test_of_three_those_who_accepted_play_when_the_time_is_over(hall: PoolHall) -> None:
    """By the durable timer; the third hears of it and may queue."""
    ana, ben, carl = (PoolPlayer(hall.edge) for _ in range(3))
    name = await pot_won(hall, ana, ben, carl)
    third = Asked(carl, name)
    listening = third.listen()
    await Asked(ana, name).accept()
    await Asked(ben, name).accept()
    hall.step(seconds=30.1)
    await asyncio.wait_for(listening, 10)
    told = third.heard[-2].rematch
    first = (await hall.pool_facts(told.next_match))[0]

    assert third.end() == "BEGUN"
    assert isinstance(first, PoolDealt)
    assert set(first.terms.accounts) == {ana.account_id, ben.account_id}
    assert (await refused(third.accept())).reason == "REMATCH_OVER"


async def test_who_lacks_the_stake_is_named_in_the_new_match_which_comes_to_nothing(hall: PoolHall) -> None:
    """Chips are asked for when they are due, as in the queue: everybody sees whose were missing."""
    ana, ben = PoolPlayer(hall.edge), PoolPlayer(hall.edge)
    name = await hall.started(ana, ben, chips=100)
    await ana.remove(name, *(await hall.pool_solution(name))[0], 0)
    await ben.hint(name, 0)
    for player in (ana, ben):
        await player.leave_pool(name)
    await settled(hall, name)
    await Asked(ana, name).accept()
    begun = await Asked(ben, name).accept()
    game = await hall.countdown(begun.next_match, ana)
    poor = {
        seat.player
        for seat in (game.own_seat, *game.opponents)
        if seat.stake_refusal == pool_pb2.POOL_STAKE_REFUSAL_TOO_FEW_CHIPS
    }
    await settled(hall, begun.next_match)

    assert poor == {ben.name}
    assert game.result.ending == pool_pb2.POOL_ENDING_VOID_STAKES
    assert not game.result.HasField("rematch_offer")
    assert (await hall.chips(ana), await hall.chips(ben)) == (200, 0)
    assert await hall.count("SELECT count(*) FROM live_seat") == 0


async def test_who_did_not_pay_is_offered_no_rematch(hall: PoolHall) -> None:
    """The others played; training offers none either."""
    ana, ben, carl = (PoolPlayer(hall.edge) for _ in range(3))
    for player in (ana, ben):
        await hall.give_chips(player, 100)
    name = await hall.gather(ana, ben, carl)
    await hall.countdown(name, ana)
    hall.step(seconds=3)
    pair = (await hall.pool_solution(name))[0]
    for player in (ana, ben):
        await player.remove(name, *pair, 0)
        await player.leave_pool(name)
    training = await carl.train()
    await carl.train_again(training.name)

    assert (await ben.game(name)).result.HasField("rematch_offer")
    assert not (await carl.game(name)).result.HasField("rematch_offer")
    assert (await refused(Asked(carl, name).accept())).reason == "NOT_YOURS"
    assert (await refused(Asked(carl, training.name).accept())).reason == "NOT_FOUND"


async def _seated(player: RacePlayer) -> str:
    """The race that a ticket led to, within ten seconds."""
    for _ in range(200):
        if name := await player.seated():
            return name
        await asyncio.sleep(0.05)
    raise AssertionError("the ticket led to no race")


async def raced(track: Track, *players: RacePlayer) -> str:
    """A race of strangers that all have given up."""
    for player in players:
        await player.wait()
    track.step(seconds=10)
    names = {await _seated(player) for player in players}
    assert len(names) == 1
    name = names.pop()
    track.step(seconds=3)
    for player in players:
        await player.give_up(name)
    return name


async def test_strangers_of_a_race_race_again_rated_on_another_deal(track: Track) -> None:
    """Of three, the two who accepted, as soon as the third has said no."""
    ana, ben, carl = (RacePlayer(track.edge) for _ in range(3))
    name = await raced(track, ana, ben, carl)
    over = await ana.get(name)
    await Asked(ana, name).accept()
    await Asked(carl, name).accept()
    begun = await Asked(ben, name).decline()
    first = (await track.facts(begun.next_match))[0]
    race = await ana.get(begun.next_match)

    assert over.HasField("rematch_offer")
    assert begun.state == rematch_pb2.REMATCH_STATE_BEGUN
    assert isinstance(first, RaceDealt)
    assert (first.rated, first.group_id) == (True, None)
    assert {seat.account_id for seat in first.seats} == {ana.account_id, carl.account_id}
    assert race.state == race_pb2.RACE_STATE_COUNTDOWN
    assert list(race.commitments) != list(over.commitments)


async def test_a_race_of_a_group_offers_no_rematch(track: Track) -> None:
    """It has "another game"."""
    ana, ben = RacePlayer(track.edge), RacePlayer(track.edge)
    group = await ana.create()
    await ben.join(group.code)
    name = await ana.start(group.name)
    track.step(seconds=3)
    for player in (ana, ben):
        await player.give_up(name)
    assert not (await ana.get(name)).HasField("rematch_offer")
    assert (await refused(Asked(ana, name).accept())).reason == "NOT_FOUND"


async def test_the_offer_comes_with_the_end_of_the_pool_match_in_its_stream(hall: PoolHall) -> None:
    """Nobody has to ask for it."""
    ana, ben = PoolPlayer(hall.edge), PoolPlayer(hall.edge)
    name = await hall.started(ana, ben)
    listening = ana.follow_pool(name)
    await until(lambda: bool(ana.told))
    pair = (await hall.pool_solution(name))[0]
    for player in (ana, ben):
        await player.remove(name, *pair, 0)
        await player.leave_pool(name)
    await asyncio.wait_for(listening, 10)
    updates = [message.update for message in ana.told if message.HasField("update")]
    assert updates[-1].result.rematch_offer == (await ben.game(name)).result.rematch_offer
