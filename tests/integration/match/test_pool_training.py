"""Training in the pool over gRPC: one player, all faces, help and its charges, restart."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator

import grpc
import pytest

from libs.pb.sparrow.match.v1 import pool_pb2
from services.match.domain.pool.dealing import lay
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


async def test_training_shows_all_faces_and_runs_for_ten_minutes(hall: PoolHall, ana: PoolPlayer) -> None:
    """At once, without a countdown; a repeat gets the first answer."""
    game = await ana.train(request_id="one")
    assert game.training
    assert game.state == pool_pb2.POOL_STATE_RUNNING
    assert (len(game.board.present), len(game.board.faces), game.limit_ms) == (144, 144, 600_000)
    assert game.board.pair_available
    assert set(game.board.free_tiles) < set(game.board.present)
    assert (game.uses.next_charge, game.own_seat.pairs_left, len(game.commitment)) == (360, 72, 32)
    assert await ana.train(request_id="one") == game
    hall.step(minutes=10)
    over = await ana.game(game.name)
    assert over.own_seat.ending == pool_pb2.POOL_SEAT_ENDING_TIME
    assert over.result.ending == pool_pb2.POOL_ENDING_PLAYED


async def test_pairs_undo_shuffle_and_hint_with_their_charges(hall: PoolHall, ana: PoolPlayer) -> None:
    """The first pair, then each help once."""
    game = await ana.train()
    name = game.name
    first, second = (await hall.pool_solution(name))[0]
    paired = await ana.remove(name, first, second, 0)
    undone = await ana.undo(name, 1)
    shuffled = await ana.shuffle(name, 2)
    hinted = await ana.hint(name, 3)
    faces = {visible.tile: visible.face for visible in shuffled.board.faces}

    assert paired.outcome == pool_pb2.POOL_OUTCOME_PAIRED
    assert paired.worth == paired.own_seat.score
    assert paired.worth % 72 == 0
    assert (undone.outcome, undone.charge) == (pool_pb2.POOL_OUTCOME_UNDONE, 355)
    assert undone.own_seat.score == -355
    assert undone.board.present == game.board.present
    assert undone.board.faces == game.board.faces
    assert (shuffled.charge, shuffled.own_seat.score) == (360, -715)
    assert sorted(faces.values()) == sorted(visible.face for visible in game.board.faces)
    assert (hinted.charge, hinted.own_seat.score) == (360, -1075)
    assert {hinted.pair.first, hinted.pair.second} <= set(hinted.board.free_tiles)
    assert (hinted.uses.undos, hinted.uses.shuffles, hinted.uses.hints) == (1, 1, 1)


async def test_a_cleared_board_ends_the_game_and_opens_the_commitment(
    hall: PoolHall, ana: PoolPlayer
) -> None:
    """Anybody can compute the hash and deal the same board."""
    game = await ana.train()
    listening = ana.follow_pool(game.name)
    await until(lambda: bool(ana.told))
    last = await ana.clear_pool(game.name, await hall.pool_solution(game.name))
    await asyncio.wait_for(listening, 10)
    reveal = last.result.reveal
    layout = reveal.layout.removeprefix("layouts/")
    fields = (reveal.nonce, b"%d" % reveal.catalogue_version, layout.encode(), b"42", reveal.seed)

    assert last.state == pool_pb2.POOL_STATE_OVER
    assert last.own_seat.ending == pool_pb2.POOL_SEAT_ENDING_CLEARED
    assert hashlib.sha256(b"".join(len(f).to_bytes(4) + f for f in fields)).digest() == game.commitment
    board, dealt = lay(reveal.seed)
    assert (board.name, list(dealt.faces)) == (layout, [visible.face for visible in game.board.faces])
    assert ana.told[-1].end.reason == "MATCH_ENDED"
    assert await hall.count("SELECT count(*) FROM timer") == 0


async def test_restart_deals_the_same_board_and_new_deal_another(hall: PoolHall, ana: PoolPlayer) -> None:
    """At any time: while it is played, and when it is over; a repeat gets the first answer."""
    game = await ana.train()
    first, second = (await hall.pool_solution(game.name))[0]
    await ana.remove(game.name, first, second, 0)
    again = await ana.train_again(game.name, request_id="again")
    assert again == await ana.train_again(game.name, request_id="again")
    assert again.name != game.name
    assert again.board == game.board
    assert (await ana.game(game.name)).result.next_game == again.name
    other = await ana.train_again(again.name, new_deal=True)
    assert other.commitment != game.commitment
    hall.step(minutes=10)
    after_the_end = await ana.train_again(other.name)
    assert after_the_end.board == other.board


async def test_refusals_are_named_and_change_nothing(hall: PoolHall, ana: PoolPlayer) -> None:
    """Undo of nothing, end with a shuffle left, leaving training, a stale board, another's game."""
    game = await ana.train()
    name, ben = game.name, PoolPlayer(hall.edge)
    blocked = next(tile for tile in game.board.present if tile not in game.board.free_tiles)
    refusals = [
        await refused(ana.undo(name, 0)),
        await refused(ana.end(name)),
        await refused(ana.leave_pool(name)),
        await refused(ana.shuffle(name, 1)),
        await refused(ana.remove(name, blocked, game.board.free_tiles[0], 0)),
        await refused(ana.remove(name, 0, 144, 0)),
        await refused(ana.train(61)),
        await refused(ben.game(name)),
        await refused(ben.hint(name, 0)),
        await refused(ana.game("matches/00000000-0000-0000-0000-000000000000")),
        await refused(ana.touch(name, 0, 0)),
        await refused(ana.get(name)),
    ]
    level = await ana.start()
    refusals.append(await refused(ana.hint(level.name, 0)))

    assert [refusal.reason for refusal in refusals] == [
        "NOTHING_TO_UNDO",
        "SHUFFLE_LEFT",
        "NOT_IN_MODE",
        "STALE_BOARD_VERSION",
        "TILE_BLOCKED",
        "FIELD_INVALID",
        "FIELD_INVALID",
        "NOT_YOURS",
        "NOT_YOURS",
        "NOT_FOUND",
        "NOT_IN_MODE",
        "NOT_IN_MODE",
        "NOT_IN_MODE",
    ]
    assert refusals[3].code is grpc.StatusCode.ABORTED
    assert (await ana.game(name)).board == game.board


async def test_a_repeat_gets_the_first_answer_and_another_body_is_refused(
    hall: PoolHall, ana: PoolPlayer
) -> None:
    """For pairs and for what takes thinking."""
    game = await ana.train()
    (first, second), *_rest = await hall.pool_solution(game.name)
    paired = await ana.remove(game.name, first, second, 0, "pair")
    shuffled = await ana.shuffle(game.name, 1, "shuffle")
    assert await ana.remove(game.name, first, second, 0, "pair") == paired
    assert await ana.shuffle(game.name, 1, "shuffle") == shuffled
    reused = await refused(ana.remove(game.name, first, second, 2, "pair"))
    assert reused.reason == "REQUEST_ID_REUSED"
    assert (await ana.game(game.name)).board.board_version == 2


async def test_another_device_takes_the_seat_and_a_resume_token_misses_nothing(
    hall: PoolHall, ana: PoolPlayer
) -> None:
    """The first stream ends with that reason; from its token on nothing is seen twice."""
    game = await ana.train()
    pairs = await hall.pool_solution(game.name)
    listening = ana.follow_pool(game.name)
    await until(lambda: bool(ana.told))
    tablet = PoolPlayer(hall.edge, account_id=ana.account_id)
    second = tablet.follow_pool(game.name)
    await asyncio.wait_for(listening, 10)
    token = ana.told[0].resume_token
    second.cancel()
    for version, pair in enumerate(pairs[:3]):
        await ana.remove(game.name, *pair, version)
    ana.told.clear()
    again = ana.follow_pool(game.name, token)
    await until(lambda: len(ana.told) == 3)
    again.cancel()

    assert [message.update.board.board_version for message in ana.told] == [1, 2, 3]
    assert tablet.told[0].snapshot.board == game.board
