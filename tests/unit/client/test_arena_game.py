"""A game of several rounds at the client: what each deal brings, and answers that come too late."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from libs.client.game import LIVE, Game
from libs.client.results import GameState
from libs.client.rounds import Ending, Mode, SeatStanding
from libs.client.wire import summary_of, update_of
from libs.pb.sparrow.match.v1 import match_pb2 as pb
from libs.pb.sparrow.solitaire.v1 import solitaire_pb2

ANA, BEN = "players/ana", "players/ben"
LINK: Any = None
"""Nothing is called."""


def _board(version: int, present: tuple[int, ...] = (0, 1)) -> pb.Board:
    tiles = [solitaire_pb2.TilePosition(x=4 * number) for number in range(2)]
    return pb.Board(
        layout=solitaire_pb2.Layout(tiles=tiles),
        present=present,
        pair_available=True,
        board_version=version,
    )


def _standings(*scores: int) -> list[pb.SeatStanding]:
    return [
        pb.SeatStanding(player=player, place=place, score=score, round_scores=[score])
        for place, (player, score) in enumerate(zip((ANA, BEN), scores, strict=True), 1)
    ]


def _result(score: int) -> pb.RoundResult:
    seats = [pb.SeatResult(player=ANA, place=1, round_score=score), pb.SeatResult(player=BEN, place=2)]
    return pb.RoundResult(ending=pb.ROUND_ENDING_TIME, seats=seats)


def in_break() -> Game:
    """The second round is dealt, the first one brought 300."""
    message = pb.Match(
        name="matches/1",
        mode=pb.MODE_ARENA,
        state=pb.MATCH_STATE_BREAK,
        start_time=Timestamp(seconds=1_000),
        board=_board(9),
        commitment=b"\x01\x02",
        round_number=2,
        round_count=3,
        earlier_rounds=[_result(300)],
        standings=_standings(300, 0),
    )
    return Game(LINK, message)


def test_a_break_tells_the_next_round_and_the_standing() -> None:
    """The game lives; what is dealt, when it begins, and how everybody stands."""
    game = in_break()
    assert game.round is not None

    assert (game.mode, game.state, game.state in LIVE) == (Mode.ARENA, GameState.BREAK, True)
    assert (game.round.number, game.round.count) == (2, 3)
    assert [result.ending for result in game.round.earlier] == [Ending.TIME]
    assert game.standings[0] == SeatStanding(ANA, 1, 300, (300,), left=False, points=0)
    assert game.start_time == datetime.fromtimestamp(1_000, UTC)
    assert game.commitment == "0102"


def test_an_answer_of_an_earlier_round_changes_nothing() -> None:
    """It was overtaken by the deal of the next one."""
    game = in_break()
    late = pb.MatchUpdate(
        state=pb.MATCH_STATE_RUNNING,
        round_number=1,
        board_version=8,
        tiles_left=2,
        outcome=pb.TOUCH_OUTCOME_LIFTED,
    )
    game._take(update_of(late))

    assert (game.state, game.board.version) == (GameState.BREAK, 9)


def test_the_signal_of_the_next_round_shows_its_faces() -> None:
    """The board version of the deal stands until the seat moves."""
    game = in_break()
    signal = pb.MatchUpdate(
        state=pb.MATCH_STATE_RUNNING,
        round_number=2,
        board_version=9,
        tiles_left=2,
        uncovered=[pb.VisibleFace(tile=0, face="1m"), pb.VisibleFace(tile=1, face="1m")],
        free_tiles=[0, 1],
        pair_available=True,
    )
    game._take(update_of(signal))

    assert game.state is GameState.RUNNING
    assert dict(game.board.faces) == {0: "1m", 1: "1m"}
    assert game.board.free == {0, 1}


def test_the_end_of_the_match_brings_points_and_its_instant() -> None:
    """The standings are those of all rounds."""
    game = in_break()
    over = pb.MatchUpdate(
        time=Timestamp(seconds=2_000),
        state=pb.MATCH_STATE_OVER,
        round_number=3,
        board_version=20,
        round_result=_result(100),
        standings=[pb.SeatStanding(player=ANA, place=1, score=400, round_scores=[300, 100], points=80)],
    )
    game._take(update_of(over))

    assert (game.state, game.state in LIVE) == (GameState.OVER, False)
    assert (game.standings[0].points, game.standings[0].round_scores) == (80, (300, 100))
    assert game.end_time == datetime.fromtimestamp(2_000, UTC)


def test_a_listed_arena_tells_its_mode_and_standings() -> None:
    """Without a board."""
    listed = summary_of(pb.Match(mode=pb.MODE_ARENA, state=pb.MATCH_STATE_OVER, standings=_standings(5, 3)))

    assert (listed.mode, [seat.score for seat in listed.standings]) == (Mode.ARENA, [5, 3])
