"""A finished match is told pair by pair: why each was worth what, and where the board became unsolvable."""

from __future__ import annotations

from libs.rules.solitaire.board import Closed
from libs.rules.solitaire.layouts import Layout
from libs.rules.tiles import Face
from services.match.domain.history.attempts import attempt_story
from services.match.domain.history.rounds import round_story
from services.match.domain.history.steps import Missed, Out, Taken
from services.match.domain.history.unsolvable import Spoiled, Stretch, spoiled
from services.match.domain.position import Position
from services.match.domain.rivals.clocks import Outage
from services.match.domain.rivals.terms import OutReason, PairKind
from services.match.events import AttemptLeft, PairRemoved, TileLifted, TouchBlocked
from tests.support.attempts import ANA, LEVEL, ROW, after, started
from tests.support.rounds import Table, apart, at

PAIRS = "1m 1m 2m 2m 3m 3m 4m 4m 5m 5m"
ROW_AND_PAIR = Layout.parse("row-and-pair", [*ROW.tiles, (20, 0, 0), (30, 0, 0)])
_STACKS = Layout.parse("crossed", [(0, 0, 0), (0, 0, 1), (8, 0, 0), (8, 0, 1), (16, 0, 0), (24, 0, 0)])
CROSSED = Position(_STACKS, tuple(Face(face) for face in ("2m", "1m", "1m", "2m", "1m", "1m")), _STACKS.full)
"""Tile 1 lies on 0, and 3 on 2; 4 and 5 lie apart."""


def test_each_pair_says_why_it_was_worth_100_200_or_300_and_which_record_it_beat() -> None:
    """Plain, faster than the record, crucial though slow, by a joker."""
    table = Table.begun(apart(10), PAIRS)
    table.pair(0, 0, 1, 4_000)
    table.pair(0, 2, 3, 7_000)
    table.pair(0, 4, 5, 13_000, crucial=True)
    table.touch(0, 6, 14_000)
    table.use_joker(0, 14_000)
    table.joker_spent(0, 1, 14_500)
    table.until(300_000)
    told = [step for step in round_story(table.events).steps if isinstance(step.what, Taken)]

    assert [(step.at_ms, step.score, step.present.bit_count()) for step in told] == [
        (4_000, 100, 8),
        (7_000, 300, 6),
        (13_000, 600, 4),
        (14_500, 700, 2),
    ]
    assert [step.what for step in told] == [
        Taken(0, 1, PairKind.PLAIN, 100, 4_000, None, 4_000),
        Taken(2, 3, PairKind.PACE, 200, 3_000, 4_000, 3_000),
        Taken(4, 5, PairKind.CRUCIAL, 300, 6_000, 3_000, 3_000),
        Taken(6, 7, PairKind.JOKER, 100, 1_500, 3_000, 3_000),
    ]


def test_a_blocked_touch_says_why_and_what_it_cost() -> None:
    """100, and no more than there was."""
    table = Table.begun(ROW_AND_PAIR, "1m 2m 2m 1m 3m 3m")
    table.touch(0, 1, 1_000)
    table.pair(0, 4, 5, 2_000)
    table.touch(0, 1, 3_000)
    table.until(300_000)
    told = [step.what for step in round_story(table.events).steps if step.seat == 0]

    why = Closed(left=(0,), right=(2,))
    assert told[0] == Missed(1, why, 0)
    assert told[2:] == [Missed(1, why, 100), Out(OutReason.IDLE)]


def test_times_count_from_the_signal_without_the_pauses() -> None:
    """A pause of two seconds lies between the signal and the pair."""
    table = Table.begun(apart(4), "1m 1m 2m 2m")
    table.outages = (Outage(at(1_000), at(3_000)),)
    table.until(3_000)
    table.pair(0, 0, 1, 5_000)
    table.leave(0, 6_000)
    table.leave(1, 6_000)

    assert [step.at_ms for step in round_story(table.events).steps] == [3_000, 4_000, 4_000]


def test_an_attempt_is_told_without_scores_and_without_faces_that_were_never_seen() -> None:
    """Everybody gets the same faces on a level: who leaves it learns nothing of what was hidden."""
    story = attempt_story(
        [
            started(_STACKS, "1m 2m 3m 2m 3m 1m"),
            TileLifted(1, None, after(500)),
            PairRemoved(1, 3, after(1_000)),
            TouchBlocked(0, Closed((2,), (4,)), after(1_500)),
            AttemptLeft(ANA, LEVEL, after(2_000)),
        ]
    )
    at_once = attempt_story([started(_STACKS, "1m 2m 3m 2m 3m 1m"), AttemptLeft(ANA, LEVEL, after(2_000))])

    assert [step.what for step in story.steps] == [
        Taken(1, 3, PairKind.PLAIN, 0, 1_000, None, None),
        Missed(0, Closed((2,), (4,)), 0),
        Out(OutReason.LEFT),
    ]
    assert story.shown == _STACKS.full
    assert at_once.shown == 0b111010


def test_it_is_told_after_which_pair_the_board_was_unsolvable() -> None:
    """Taking the two free tiles together leaves each stack closed by the other's partner."""
    wrong = spoiled(CROSSED, [(0b001111, False)])
    right = spoiled(CROSSED, [(0b101101, False), (0b100100, False)])

    assert wrong == Spoiled((Stretch(1, None, exact=True),), undecided=False)
    assert right == Spoiled((), undecided=False)


def test_a_cleared_board_never_was_unsolvable() -> None:
    """No question is asked."""
    assert spoiled(CROSSED, [(0b101101, False), (0b100100, False), (0, False)]) == Spoiled((), False)


def test_a_joker_ends_a_stretch_on_an_unsolvable_board() -> None:
    """After it the board is judged anew."""
    told = spoiled(CROSSED, [(0b001111, False), (0b001001, True)])

    assert told == Spoiled((Stretch(1, 2, exact=True),), undecided=False)
