"""What a load's bots of races and of the pool take, and what is counted of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import cast

import grpc

from libs.cli.bot import free_pair
from libs.cli.load.pair_bots import SHUFFLES_MAX, PairBot
from libs.cli.load.player import LoadMode, Metronome
from libs.cli.load.tally import Tally
from libs.client.board_view import BoardView, Place
from libs.client.client import SparrowClient
from libs.client.errors import RefusedError
from libs.client.pools import PoolGame, PoolMove, PoolOutcome, PoolUses

FACES = {0: "1m", 1: "2m", 2: "1m", 3: "2m"}


def board(free: set[int]) -> BoardView:
    """Four tiles in a row."""
    places = tuple(Place(2 * tile, 0, 0) for tile in FACES)
    return BoardView("row", places, frozenset(FACES), FACES, None, frozenset(free), bool(free), 1)


def bot(tally: Tally, mode: LoadMode = LoadMode.POOL) -> PairBot:
    """A bot that calls nobody by itself."""
    return PairBot(cast("SparrowClient", None), mode, tally, Metronome(0, 0), asyncio.Event())


def test_only_free_tiles_of_one_face_are_taken() -> None:
    """A matching tile that is blocked does not count."""
    assert free_pair(board({0, 1, 2})) == (0, 2)
    assert free_pair(board({0, 1, 3})) == (1, 3)
    assert free_pair(board({0, 1})) is None


def test_faces_not_seen_yet_make_no_pair() -> None:
    """Before the signal nothing is known of a board."""
    unseen = BoardView("row", (Place(0, 0, 0),) * 2, frozenset({0, 1}), {}, None, frozenset({0, 1}), True, 0)

    assert free_pair(unseen) is None


async def test_a_refused_command_counts_by_its_reason_alone() -> None:
    """It is no accepted move, and the bot goes on."""
    tally = Tally()

    async def refused() -> PoolMove:
        raise RefusedError("TILE_BLOCKED", grpc.StatusCode.FAILED_PRECONDITION)

    assert await bot(tally)._move("pair", refused) is None
    assert (dict(tally.errors), tally.accepted) == ({"TILE_BLOCKED": 1}, 0)


class _Stuck:
    """A game of the pool whose board no shuffle helps."""

    def __init__(self) -> None:
        """Two free tiles that do not match."""
        self.board = board({0, 1})
        self.uses = PoolUses(0, 0, 0, 10)

    async def shuffle(self) -> PoolMove:
        """Find that it is impossible."""
        return PoolMove(PoolOutcome.SHUFFLE_IMPOSSIBLE, None, 0, 0)

    async def end(self) -> PoolMove:
        """End the game."""
        return PoolMove(None, None, 0, 0)


class _Training:
    """A game of training under way, that counts what is asked of it."""

    def __init__(self, shuffles: int, *, impossible: bool = False) -> None:
        """So many shuffles are used."""
        self.uses = PoolUses(0, shuffles, 0, 10)
        self.is_playing = True
        self.asked: list[str] = []
        self._impossible = impossible

    async def refresh(self) -> None:
        """Stand as it stands."""

    async def shuffle(self) -> PoolMove:
        """Use one up, unless none helps."""
        self.asked.append("shuffle")
        if self._impossible:
            return PoolMove(PoolOutcome.SHUFFLE_IMPOSSIBLE, None, 0, 0)
        self.uses = replace(self.uses, shuffles=self.uses.shuffles + 1)
        return PoolMove(None, None, 0, 0)

    async def end(self) -> PoolMove:
        """End the game, which is refused while a shuffle is left."""
        assert self._impossible or self.uses.shuffles == SHUFFLES_MAX
        self.asked.append("end")
        self.is_playing = False
        return PoolMove(None, None, 0, 0)


async def test_training_under_way_is_ended_when_the_load_ends() -> None:
    """Its shuffles are used up first, or until one is impossible; nothing of it is counted."""
    for game, asked in (
        (_Training(3), ["shuffle", "shuffle", "end"]),
        (_Training(5), ["end"]),
        (_Training(0, impossible=True), ["shuffle", "end"]),
    ):
        tally = Tally()
        await bot(tally)._leave_training(cast("PoolGame", game))

        assert game.asked == asked
        assert not tally.accepted


async def test_a_move_after_the_end_of_a_race_of_several_is_no_error() -> None:
    """Others may end it while the move is on its way."""
    tally = Tally()

    async def late() -> PoolMove:
        raise RefusedError("MATCH_ENDED", grpc.StatusCode.FAILED_PRECONDITION)

    assert await bot(tally, LoadMode.QUEUE_RACE)._move("pair", late) is None
    assert (dict(tally.errors), tally.after_end) == ({}, 1)


async def test_a_board_that_no_shuffle_helps_is_ended() -> None:
    """A shuffle that is impossible uses nothing up, so asking for another would never end."""
    tally = Tally()

    assert await bot(tally)._move_in_pool(cast("PoolGame", _Stuck()))
    assert dict(tally.moves) == {"shuffle": 1, "end": 1}
