"""What a load's bots touch, what is counted, and how a load is split over processes."""

from __future__ import annotations

import asyncio
import random

import grpc
import pytest
from rich.console import Console

from libs.cli.load.command import show
from libs.cli.load.drive import LoadPlan, by_mode
from libs.cli.load.player import PLAYERS_MIN, LoadMode, LoadPlayer, Metronome, next_tiles
from libs.cli.load.processes import shares
from libs.cli.load.tally import Tally, document, together
from libs.client.errors import RefusedError
from libs.client.lean import LeanBoard, LeanPlayer
from libs.pb.sparrow.match.v1 import match_pb2 as pb


def board(faces: dict[int, str], free: list[int], lifted: int | None = None) -> LeanBoard:
    """A running board with these faces seen."""
    told = pb.Match(state=pb.MATCH_STATE_RUNNING)
    seen = [pb.VisibleFace(tile=tile, face=face) for tile, face in faces.items()]
    told.board.CopyFrom(pb.Board(faces=seen, free_tiles=free, lifted=lifted, pair_available=True))
    return LeanBoard(told)


def chosen(on: LeanBoard, peeked: set[int] | None = None) -> tuple[int, ...]:
    """What the bot touches next."""
    return tuple(next_tiles(on, peeked or set(), random.Random(1)))


def test_a_pair_of_free_tiles_is_touched() -> None:
    """Both tiles, or only the other where one is lifted already."""
    faces = {0: "1m", 1: "2m", 2: "1m"}

    assert chosen(board(faces, [0, 1, 2])) == (0, 2)
    assert chosen(board(faces, [0, 1, 2], lifted=0)) == (2,)
    assert chosen(board(faces, [0, 1, 2], lifted=2)) == (0,)


def test_without_a_pair_each_free_tile_is_looked_under_once() -> None:
    """Then nothing helps any more."""
    on = board({0: "1m", 1: "2m"}, [0, 1])

    assert chosen(on, {0}) == (1,)
    assert chosen(on, {0, 1}) == ()


def test_an_older_update_changes_nothing_but_the_end() -> None:
    """Replies and stream overtake each other."""
    on = board({0: "1m", 1: "1m"}, [0, 1])
    on.take_update(pb.MatchUpdate(board_version=2, state=pb.MATCH_STATE_RUNNING, free_tiles=[1]))
    on.take_update(pb.MatchUpdate(board_version=1, state=pb.MATCH_STATE_OVER, free_tiles=[0, 1]))

    assert (list(on.free), on.version, on.is_over) == ([1], 2, True)


def test_processes_share_players_and_pace() -> None:
    """Nobody is lost, and choices differ."""
    plans = shares(LoadPlan("h:1", 7, LoadMode.SINGLE, 5.0, 70.0, seed=3), 3)

    assert [plan.players for plan in plans] == [3, 2, 2]
    assert sum(plan.rate or 0 for plan in plans) == 70
    assert len({plan.seed for plan in plans}) == 3


def test_tallies_of_the_same_seconds_add_up() -> None:
    """Moves and errors are summed, the time is not."""
    one, other = Tally(seconds=2.0), Tally(seconds=2.0)
    one.accept("touch", 1.0)
    other.accept("start", 9.0)
    other.errors["RATE_LIMIT"] += 2
    told = document(together([one, other]))

    assert told["moves"] == {"accepted": 2, "accepted_per_s": 1.0, "by_kind": {"start": 1, "touch": 1}}
    assert told["latency_ms"] == {"p50": 1.0, "p99": 9.0, "max": 9.0}
    assert told["errors"] == {"RATE_LIMIT": 2}


async def test_a_late_move_counts_from_when_it_was_due() -> None:
    """A server that stalls is not spared the moves that could not be sent meanwhile."""
    clock = asyncio.get_running_loop()
    metronome = Metronome(0.01, clock.time())
    first = await metronome.next_due()
    await asyncio.sleep(0.05)
    second = await metronome.next_due()

    assert abs(second - first - 0.01) < 1e-9
    assert clock.time() - second > 0.03


async def test_nothing_is_due_while_a_bot_waits_for_an_opponent() -> None:
    """With the signal of a match its moves fall due from then on."""
    clock = asyncio.get_running_loop()
    metronome = Metronome(0.01, clock.time())
    await asyncio.sleep(0.05)
    signal = clock.time()
    metronome.begin_again()

    assert await metronome.next_due() >= signal


class _Ended(LeanPlayer):
    """A player whose opponent has just ended the match."""

    def __init__(self) -> None:
        """Hold two tiles that pair."""
        self.board = board({0: "1m", 1: "1m"}, [0, 1])

    async def touch(self, tile: int) -> None:
        """Refuse."""
        raise RefusedError("MATCH_ENDED", grpc.StatusCode.FAILED_PRECONDITION)

    async def refresh(self) -> None:
        """Learn that it is over."""
        assert self.board is not None
        self.board.state = pb.MATCH_STATE_OVER


@pytest.mark.parametrize(
    ("mode", "after_end", "errors"),
    [("quick", 1, {}), ("arena", 1, {}), ("single", 0, {"MATCH_ENDED": 1})],
)
async def test_a_move_after_the_opponent_ended_the_match_is_no_error(
    mode: str, after_end: int, errors: dict[str, int]
) -> None:
    """In a quick match it is ordinary and counted apart; alone nobody else can end a match."""
    tally = Tally()
    bot = LoadPlayer(_Ended(), LoadMode(mode), tally, Metronome(0, 0), random.Random(1), asyncio.Event())

    await bot._play_board()

    assert (tally.after_end, dict(tally.errors), tally.accepted) == (after_end, errors, 0)
    assert document(together([tally, tally]))["after_end"] == 2 * after_end


@pytest.mark.parametrize("players", [12, 13, 50, 1_000])
def test_all_modes_share_players_and_pace(players: int) -> None:
    """Each mode has as many as it takes at least; nobody is lost, and nobody plays all modes."""
    plans = by_mode(LoadPlan("here", players, LoadMode.ALL, 20, 100, 7))

    assert {plan.mode for plan in plans} == set(LoadMode) - {LoadMode.ALL}
    assert sum(plan.players for plan in plans) == players
    assert all(plan.players >= PLAYERS_MIN.get(plan.mode, 1) for plan in plans)
    assert sum(plan.rate or 0 for plan in plans) == pytest.approx(100)
    assert max(plan.players for plan in plans) <= max(4, -(-players // len(plans)))


def test_the_fewest_bots_of_all_modes_are_those_of_each() -> None:
    """One where nothing else is said."""
    modes = set(LoadMode) - {LoadMode.ALL}

    assert PLAYERS_MIN[LoadMode.ALL] == sum(PLAYERS_MIN.get(mode, 1) for mode in modes)


def test_several_modes_are_told_apart_and_together() -> None:
    """Also those that several processes counted: moves, boards and errors by mode."""
    single, arena = Tally(seconds=2.0, games=1), Tally(seconds=2.0, games=2)
    single.accept("touch", 3.0)
    arena.accept("touch", 5.0)
    arena.errors["RATE_LIMIT"] += 1
    whole = together([single, arena])
    whole.parts = {"single": single, "arena": arena}
    told = document(together([whole, whole]))
    out = Console(width=100, no_color=True)
    with out.capture() as capture:
        show(whole, out)

    assert told["moves"]["accepted"] == 4
    assert {mode: each["moves"]["accepted"] for mode, each in told["modes"].items()} == {
        "single": 2,
        "arena": 2,
    }
    assert told["modes"]["arena"]["errors"] == {"RATE_LIMIT": 2}
    assert "RATE_LIMIT 1" in capture.get()
    assert "modes" not in document(single)
