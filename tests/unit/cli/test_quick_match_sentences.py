"""What a quick match in the terminal says of pairs, of the opponent and of the end."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from libs.cli.play.round_texts import pair_text, progress_text, result_text
from libs.client.results import GameState, Outcome, Update
from libs.client.rounds import Ending, Out, PairKind, PairWorth, RoundResult, SeatProgress, SeatResult
from libs.client.wire import update_of
from libs.pb.sparrow.match.v1 import match_pb2 as pb

NAMES = {"players/b": "Wren"}


def paired(worth: PairWorth | None) -> Update:
    """A pair that brought this."""
    return Update(
        time=datetime(2026, 11, 30, tzinfo=UTC),
        outcome=Outcome.PAIRED,
        tile=1,
        pair=(0, 1),
        blockers=None,
        uncovered={},
        lifted=None,
        free=frozenset(),
        pair_available=True,
        board_version=2,
        tiles_left=2,
        state=GameState.RUNNING,
        result=None,
        next_match=None,
        pair_worth=worth,
    )


@pytest.mark.parametrize(
    ("kind", "worth", "said"),
    [
        (PairKind.PLAIN, 100, "A pair: 100."),
        (PairKind.PACE, 200, "faster than any before: 200."),
        (PairKind.CRUCIAL, 300, "The crucial pair, the only one that keeps the board solvable: 300."),
        (PairKind.JOKER, 100, "A pair by a joker: 100."),
    ],
)
def test_a_pair_says_what_it_is_worth_and_why(kind: PairKind, worth: int, said: str) -> None:
    """Pace and crucial pairs are told apart from others."""
    assert said in pair_text(paired(PairWorth(kind, worth)))


def test_the_client_reads_what_a_pair_was_worth_and_the_own_part() -> None:
    """From the messages of the contract; in single player there is neither."""
    told = pb.MatchUpdate(state=pb.MATCH_STATE_RUNNING, pair_kind=pb.PAIR_KIND_PACE, worth=200)
    told.own_round.record_ms = 900
    told.own_round.idle_deadline.FromJsonString("2026-11-30T12:00:20Z")
    update = update_of(told)
    alone = update_of(pb.MatchUpdate(state=pb.MATCH_STATE_RUNNING))

    assert update.pair_worth == PairWorth(PairKind.PACE, 200)
    assert update.own is not None
    assert (update.own.out, update.own.record_ms) == (None, 900)
    assert update.own.idle_deadline == datetime(2026, 11, 30, 12, 0, 20, tzinfo=UTC)
    assert (alone.pair_worth, alone.own) == (None, None)


def test_the_opponent_is_told_by_tiles_and_score() -> None:
    """And why that player plays no further."""
    assert progress_text(SeatProgress("players/b", 12, 700, None), "Wren") == "Wren: 12 tiles left · 700"
    assert progress_text(SeatProgress("players/b", 12, 700, Out.LEFT), "Wren").endswith("has left")
    assert progress_text(SeatProgress("players/b", 12, 700, Out.IDLE), "Wren").endswith("20 s without a pair")


def test_the_end_has_a_line_for_each_seat_the_best_first() -> None:
    """Places, scores and account points, and who cleared the board."""
    result = RoundResult(
        Ending.CLEARED,
        (SeatResult("players/a", 2, 900, False, 0), SeatResult("players/b", 1, 800, True, 20)),
    )
    lines = result_text(result, "players/a", NAMES).splitlines()

    assert "The board was cleared." in lines[0]
    assert lines[1:] == ["1. Wren: 800, cleared · 20 account points", "2. You: 900 · 0 account points"]
