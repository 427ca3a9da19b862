"""Faults of other programs that concern a game in progress; the rules' test of this name has the list."""

from __future__ import annotations

import pytest

from services.match.commands import Command, UseJoker
from services.match.domain.decide import decide, start_again
from services.match.domain.points import Award, Standing
from services.match.domain.state import Ended
from services.match.events import (
    AttemptCleared,
    AttemptRestarted,
    Event,
    JokerRequested,
    PairRemoved,
    TileLifted,
    TilePutBack,
)
from tests.support.attempts import (
    ANA,
    LEVEL,
    NEXT,
    ROW,
    STACKS,
    after,
    begun,
    folded,
    given,
    leave,
    put_back,
    restart,
    started,
    touch,
)

STUCK: tuple[Event, ...] = (started(STACKS, "1m 2m 2m 1m"), TileLifted(1, None, after(10)))
SECOND_PLACE = Standing(1, Award())


def test_case_7_touches_put_no_clock_beside_the_one_of_the_level() -> None:
    """However often tiles were lifted and put back, the time runs from the start to the last pair."""
    events: list[Event] = [started(ROW, "1m 2m 2m 1m")]
    for number in range(100):
        events += [TileLifted(0, None, after(number)), TilePutBack(0, after(number))]
    events += [
        TileLifted(0, None, after(200)),
        PairRemoved(0, 3, after(210)),
        TileLifted(1, None, after(220)),
    ]
    last = decide(touch(2, 203, ms=1_234), folded(events), SECOND_PLACE)

    assert isinstance(last, list)
    assert [event.elapsed_ms for event in last if isinstance(event, AttemptCleared)] == [1_234]


@pytest.mark.parametrize("command", [put_back(1), touch(3, 1), leave(), restart()])
def test_cases_9_and_11_a_blocked_board_takes_every_command(command: Command) -> None:
    """No pair is left, which is said; looking around, starting again and leaving are possible."""
    assert not begun(STUCK).seat.position.pair_available
    assert isinstance(decide(command, folded(STUCK)), list)


def test_cases_9_and_11_a_joker_helps_on_a_blocked_board() -> None:
    """It takes the lifted tile and its partner below another: the level is not lost."""
    given(*STUCK).when(UseJoker(ANA, 1, after(20))).then(JokerRequested(0, 1, 1, 2, after(20)))


def test_case_13_a_restart_begins_with_nothing_lifted() -> None:
    """What was lifted on the board before stays there."""
    ended = begun([*STUCK, AttemptRestarted(ANA, LEVEL, NEXT, after(30))])
    assert isinstance(ended, Ended)
    again = begun([start_again(ended, ANA, after(30))])

    assert begun(STUCK).seat.lifted == 1
    assert again.seat.lifted is None


def test_case_13_a_pair_leaves_nothing_lifted() -> None:
    """The next touch lifts, and pairs with nothing that has gone."""
    events: list[Event] = [
        started(ROW, "1m 2m 2m 1m"),
        TileLifted(0, None, after(10)),
        PairRemoved(0, 3, after(20)),
    ]

    assert begun(events).seat.lifted is None
    given(*events).when(touch(1, 2, ms=30)).then(TileLifted(1, None, after(30)))


def test_case_19_the_verdict_of_pairs_left_is_that_of_the_board_as_it_is() -> None:
    """It is open before the pair that ruins it and blocked after it."""
    events: list[Event] = [
        started(STACKS, "1m 2m 1m 2m"),
        TileLifted(1, None, after(10)),
        PairRemoved(1, 3, after(20)),
    ]
    seen = [begun(events[:count]).seat.position for count in (1, 2, 3)]

    assert [(position.tiles_left, position.pair_available) for position in seen] == [
        (4, True),
        (4, True),
        (2, True),
    ]


def test_case_31_a_blocked_level_starts_again_on_the_same_deal() -> None:
    """The same faces lie in the same places, all tiles are back, and the clock is new."""
    ended = begun([*STUCK, AttemptRestarted(ANA, LEVEL, NEXT, after(30))])
    assert isinstance(ended, Ended)
    again = begun([start_again(ended, ANA, after(900))])

    assert again.attempt.deal == ended.attempt.deal
    assert again.seat.position.present == STACKS.full
    assert again.attempt.started_at == after(900)
