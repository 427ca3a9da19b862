"""Matches of the pool over gRPC: from the tickets to the pot, chips moving at the real ledger."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from libs.pb.sparrow.match.v1 import pool_pb2, ticket_pb2
from libs.rules.solitaire.commitment import commitment
from libs.rules.solitaire.levels import Recipe
from services.match.domain.pool.dealing import lay
from services.match.domain.pool.events import PoolPairRemoved
from tests.support.edge import refused
from tests.support.pool_player import PoolHall, PoolPlayer, pools_served
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[PoolHall]:
    """The served game."""
    async with pools_served(database_url) as served:
        yield served


@pytest.fixture
def ana(hall: PoolHall) -> PoolPlayer:
    """A player."""
    return PoolPlayer(hall.edge)


@pytest.fixture
def ben(hall: PoolHall) -> PoolPlayer:
    """Another player."""
    return PoolPlayer(hall.edge)


@pytest.fixture
def carl(hall: PoolHall) -> PoolPlayer:
    """A third player."""
    return PoolPlayer(hall.edge)


async def settled(hall: PoolHall, name: str) -> None:
    """Wait until the escrow of a match has nothing left to do."""
    async with asyncio.timeout(10):
        while await hall.count("SELECT count(*) FROM timer"):  # noqa: ASYNC110 rows set no event
            await asyncio.sleep(0.05)
    assert await hall.in_escrow(name) == 0


async def test_a_match_begins_ten_seconds_after_the_second_ticket(
    hall: PoolHall, ana: PoolPlayer, ben: PoolPlayer
) -> None:
    """Not before; and with the stakes of both in escrow."""
    await hall.give_chips(ana, 150)
    await hall.give_chips(ben, 100)
    await ana.wait(ticket_pb2.QUEUE_POOL)
    hall.step(seconds=30)
    await ben.wait(ticket_pb2.QUEUE_POOL)
    hall.step(milliseconds=9_999)
    await asyncio.sleep(0.6)
    assert await hall.count("SELECT count(*) FROM live_seat") == 0
    hall.step(milliseconds=1)
    name = await ana.seated()
    assert await ben.seated() == name
    await hall.countdown(name, ana)
    assert (await hall.chips(ana), await hall.chips(ben), await hall.in_escrow(name)) == (50, 0, 200)


async def test_four_begin_at_once(hall: PoolHall) -> None:
    """Without waiting for more."""
    players = [PoolPlayer(hall.edge) for _ in range(4)]
    for player in players:
        await hall.give_chips(player, 100)
    name = await hall.gather(*players)
    game = await hall.countdown(name, players[0])
    assert (len(game.opponents), game.pot, game.stake) == (3, 400, 100)


async def test_no_face_is_shown_and_nothing_can_be_done_before_the_signal(
    hall: PoolHall, ana: PoolPlayer, ben: PoolPlayer
) -> None:
    """Then the same uncovered faces are shown to all, after three seconds, by themselves."""
    for player in (ana, ben):
        await hall.give_chips(player, 1_000)
    name = await hall.gather(ana, ben)
    game = await hall.countdown(name, ana)
    early = await refused(ana.remove(name, 0, 1, 0))
    listening = [ana.follow_pool(name), ben.follow_pool(name)]
    await until(lambda: bool(ana.told and ben.told))
    hall.step(seconds=3)
    await until(lambda: len(ana.told) == len(ben.told) == 2)
    for task in listening:
        task.cancel()
    signal = ana.told[1].update

    assert game.state == pool_pb2.POOL_STATE_COUNTDOWN
    assert not game.board.faces
    assert len(game.commitment) == 32
    assert early.reason == "NOT_STARTED"
    assert signal.board == ben.told[1].update.board
    assert 0 < len(signal.board.faces) < 144


async def test_the_highest_score_takes_the_pot_and_the_escrow_is_empty(
    hall: PoolHall, ana: PoolPlayer, ben: PoolPlayer, carl: PoolPlayer
) -> None:
    """Opponents see score and pairs left while it is played; the seats are free again at the end."""
    name = await hall.started(ana, ben, carl)
    pairs = await hall.pool_solution(name)
    listening = ben.follow_pool(name)
    await until(lambda: bool(ben.told))
    await ana.clear_pool(name, pairs[:10])
    await ben.remove(name, *pairs[0], 0)
    await until(lambda: len(ben.told) == 12)
    seen = {seat.player: seat for seat in ben.told[-1].update.opponents}
    await carl.leave_pool(name)
    await ana.leave_pool(name)
    last = await ben.leave_pool(name)
    await asyncio.wait_for(listening, 10)
    await settled(hall, name)
    facts = [fact for fact in await hall.pool_facts(name) if isinstance(fact, PoolPairRemoved)]

    assert seen[ana.name].pairs_left == 62
    assert seen[ana.name].score == max(fact.score for fact in facts)
    assert last.result.ending == pool_pb2.POOL_ENDING_PLAYED
    assert {seat.player: seat.payout for seat in last.result.seats} == {
        ana.name: 300,
        ben.name: 0,
        carl.name: 0,
    }
    assert [await hall.chips(player) for player in (ana, ben, carl)] == [1_200, 900, 900]
    assert await hall.count("SELECT count(*) FROM live_seat") == 0


async def test_a_match_without_two_who_moved_returns_the_stakes(
    hall: PoolHall, ana: PoolPlayer, ben: PoolPlayer
) -> None:
    """By reversals of the stakes themselves."""
    name = await hall.started(ana, ben)
    await ana.clear_pool(name, (await hall.pool_solution(name))[:2])
    hall.step(minutes=10)
    game = await ben.game(name)
    await settled(hall, name)
    assert game.result.ending == pool_pb2.POOL_ENDING_VOID_MOVES
    assert [await hall.chips(player) for player in (ana, ben)] == [1_000, 1_000]


async def test_who_cannot_pay_is_left_out_and_free_to_queue_again(
    hall: PoolHall, ana: PoolPlayer, ben: PoolPlayer, carl: PoolPlayer
) -> None:
    """The others play for what they paid; no balance goes below zero."""
    await hall.give_chips(ana, 100)
    await hall.give_chips(ben, 99)
    await hall.give_chips(carl, 100)
    name = await hall.gather(ana, ben, carl)
    game = await hall.countdown(name, ben)

    assert game.pot == 200
    assert game.own_seat.ending == pool_pb2.POOL_SEAT_ENDING_NOT_PLAYED
    assert game.own_seat.stake_refusal == pool_pb2.POOL_STAKE_REFUSAL_TOO_FEW_CHIPS
    assert [await hall.chips(player) for player in (ana, ben, carl)] == [0, 99, 0]
    assert (await ben.wait(ticket_pb2.QUEUE_POOL)).name
    hall.step(seconds=3)
    assert (await refused(ben.remove(name, 0, 1, 0))).reason == "SEAT_OUT"


async def test_a_match_for_which_only_one_can_pay_is_void(
    hall: PoolHall, ana: PoolPlayer, ben: PoolPlayer
) -> None:
    """The stake comes back, both may queue again."""
    await hall.give_chips(ana, 100)
    name = await hall.gather(ana, ben)
    game = await hall.countdown(name, ana)
    await settled(hall, name)
    assert game.result.ending == pool_pb2.POOL_ENDING_VOID_STAKES
    assert await hall.chips(ana) == 100
    assert await hall.count("SELECT count(*) FROM live_seat") == 0


async def test_a_ledger_that_is_away_keeps_nobody_waiting(database_url: str) -> None:
    """After five seconds the match is void."""
    async with pools_served(database_url, ledger=False) as hall:
        ana, ben = PoolPlayer(hall.edge), PoolPlayer(hall.edge)
        name = await hall.gather(ana, ben)
        hall.step(seconds=5)
        game = await hall.countdown(name, ana)
        assert game.result.ending == pool_pb2.POOL_ENDING_VOID_STAKES
        assert await hall.count("SELECT count(*) FROM live_seat") == 0


async def test_the_reveal_opens_the_commitment_of_a_match(
    hall: PoolHall, ana: PoolPlayer, ben: PoolPlayer
) -> None:
    """Published before the signal, opened at the end; the deal was kept so that no game has it again."""
    name = await hall.started(ana, ben)
    promised = (await ben.game(name)).commitment
    deal = await hall.pool_deal(name)
    assert not (await ben.game(name)).HasField("result")
    await ana.leave_pool(name)
    reveal = (await ben.leave_pool(name)).result.reveal
    made = Recipe(reveal.layout.removeprefix("layouts/"), reveal.distinct_faces)

    assert commitment(reveal.nonce, reveal.catalogue_version, made, reveal.seed) == promised
    assert lay(reveal.seed)[1].faces == deal.faces
    assert await hall.count("SELECT count(*) FROM round_deal") == 1


async def test_another_match_is_no_place_for_strangers(
    hall: PoolHall, ana: PoolPlayer, ben: PoolPlayer, carl: PoolPlayer
) -> None:
    """Neither to look nor to play; whoever plays cannot queue, whoever left can."""
    name = await hall.started(ana, ben)
    refusals = [await refused(carl.game(name)), await refused(carl.remove(name, 0, 1, 0))]
    seated = await refused(ana.wait(ticket_pb2.QUEUE_POOL))
    await ana.leave_pool(name)

    assert {refusal.reason for refusal in refusals} == {"NOT_YOURS"}
    assert (seated.reason, seated.metadata["match"]) == ("ALREADY_SEATED", name)
    assert (await ana.wait(ticket_pb2.QUEUE_POOL)).name
    assert (await refused(ana.leave_pool(name))).reason == "SEAT_OUT"


async def test_the_same_shuffle_comes_to_equal_boards_and_faces_below_stay_hidden(
    hall: PoolHall, ana: PoolPlayer, ben: PoolPlayer
) -> None:
    """Only uncovered faces are sent, before and after."""
    name = await hall.started(ana, ben)
    mine, theirs = await ana.shuffle(name, 0), await ben.shuffle(name, 0)
    assert mine.board == theirs.board
    assert set(mine.board.free_tiles) <= {visible.tile for visible in mine.board.faces}
    assert len(mine.board.faces) < 144
