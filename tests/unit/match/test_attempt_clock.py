"""The clock of an attempt, which leaves out the times in which nobody could play."""

from __future__ import annotations

import pytest

from libs.pb.sparrow.match.v1 import match_pb2
from services.match.commands import TakeJoker, Touch
from services.match.domain.decide import LastPair, Unsettled, decide, pauses
from services.match.domain.pauses import Outage, clock_since
from services.match.domain.points import Award, Standing
from services.match.domain.refusal import Refusal
from services.match.domain.state import Ended, Left, elapsed_ms
from services.match.events import AttemptCleared, AttemptLeft, ClockPaused, Event, PairRemoved, TileLifted
from services.match.wire.boards import update_message
from services.match.wire.matches import match_message
from tests.support.attempts import (
    ANA,
    BEN,
    LEVEL,
    NEXT,
    ROW,
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

START: tuple[Event, ...] = (started(ROW, "1m 2m 2m 1m"),)
ALMOST: tuple[Event, ...] = (
    *START,
    TileLifted(0, None, after(1_000)),
    PairRemoved(0, 3, after(2_000)),
    TileLifted(1, None, after(3_000)),
)


def outage(since_ms: int, until_ms: int) -> Outage:
    """An outage, in milliseconds after the start."""
    return Outage(after(since_ms), after(until_ms))


def paused(since_ms: int, until_ms: int, at_ms: int | None = None) -> ClockPaused:
    """The fact of one, when it was over unless said otherwise."""
    return ClockPaused(after(since_ms), after(until_ms), after(until_ms if at_ms is None else at_ms))


def last_pair_ms(past: tuple[Event, ...], outages: tuple[Outage, ...], at_ms: int) -> int:
    """The time of the last pair, received then, once what is due was taken out."""
    last = touch(2, 3, ms=at_ms)
    settled = folded([*past, *pauses(folded(past), outages, last.at)])
    asked = decide(last, settled, outages=outages)
    assert isinstance(asked, LastPair)
    decided = decide(last, settled, Standing(0, Award()), outages=outages)
    assert isinstance(decided, list)
    cleared = decided[-1]
    assert isinstance(cleared, AttemptCleared)
    assert cleared.elapsed_ms == asked.elapsed_ms
    return asked.elapsed_ms


@pytest.mark.parametrize(
    ("outages", "at_ms", "on_the_clock_ms"),
    [
        ((), 20_000, 20_000),
        ((outage(-9_000, -1_000),), 20_000, 20_000),
        ((outage(-9_000, 0),), 20_000, 20_000),
        ((outage(-9_000, 500),), 20_000, 19_500),
        ((outage(4_000, 10_000),), 20_000, 14_000),
        ((outage(4_000, 10_000),), 7_000, 4_000),
        ((outage(4_000, 10_000),), 10_000, 4_000),
        ((outage(20_000, 30_000),), 20_000, 20_000),
        ((outage(4_000, 8_000), outage(10_000, 15_000)), 20_000, 11_000),
        ((outage(10_000, 15_000), outage(4_000, 8_000)), 20_000, 11_000),
        ((outage(4_000, 8_000), outage(6_000, 15_000)), 20_000, 9_000),
        ((outage(1_500, 2_500),), 20_000, 19_000),
    ],
    ids=[
        "none",
        "over before the start",
        "over at the start",
        "from before the start",
        "in the middle",
        "around the last pair",
        "up to the last pair",
        "from the last pair on",
        "two",
        "two in any order",
        "two that overlap",
        "around a pair, told late",
    ],
)
def test_the_time_of_a_level_leaves_outages_out(
    outages: tuple[Outage, ...], at_ms: int, on_the_clock_ms: int
) -> None:
    """As much of each as lies between the start and the last pair; place and points go by that time."""
    assert last_pair_ms(ALMOST, outages, at_ms) == on_the_clock_ms


def test_a_command_waits_until_outages_are_out_of_the_clock() -> None:
    """Whatever it is; the pause is a fact of its own, so a repeat finds the command's facts alone."""
    told = (outage(4_000, 10_000),)
    for command in (touch(2, 3, 12_000), put_back(3, 12_000), leave(12_000), restart(12_000)):
        assert decide(command, folded(ALMOST), outages=told) == Unsettled()
    assert pauses(folded(ALMOST), told, after(12_000)) == [paused(4_000, 10_000)]
    assert isinstance(decide(leave(12_000), folded([*ALMOST, paused(4_000, 10_000)]), outages=told), list)


def test_a_joker_that_is_spent_waits_too() -> None:
    """It may make the last pair."""
    assert decide(TakeJoker(ANA, 1, after(12_000)), folded(ALMOST), outages=(outage(4_000, 9_000),)) == (
        Unsettled()
    )


def test_an_outage_is_taken_out_once() -> None:
    """However often it is told; of one that overlaps it only what is new."""
    past = (*ALMOST, paused(4_000, 10_000))

    assert pauses(folded(past), (outage(4_000, 10_000),), after(20_000)) == []
    assert pauses(folded(past), (outage(4_000, 10_000), outage(9_000, 12_000)), after(20_000)) == [
        paused(10_000, 12_000)
    ]


def test_an_outage_that_is_told_late_is_taken_out_all_the_same() -> None:
    """Moves came after it: the pause happened with the last of them, and the clock is the same."""
    past = (*START, TileLifted(0, None, after(9_000)))
    [late] = pauses(folded(past), (outage(2_000, 6_000),), after(9_500))

    assert late == paused(2_000, 6_000, at_ms=9_000)
    assert elapsed_ms(begun([*past, late]).clock_since, after(10_000)) == 6_000


def test_an_outage_told_after_the_end_changes_nothing() -> None:
    """Time, place and points are the verdict of their moment."""
    ended = folded([*START, AttemptLeft(ANA, LEVEL, after(5_000))])

    assert pauses(ended, (outage(1_000, 4_000),), after(6_000)) == []
    assert decide(leave(6_000), ended, outages=(outage(1_000, 4_000),)) is Refusal.MATCH_ENDED


def test_a_pause_leaves_the_board_as_it_is() -> None:
    """Same version, same lift, nothing uncovered by it: a client's next command is not stale."""
    before, since = begun(ALMOST), begun([*ALMOST, paused(4_000, 10_000)])

    assert since.seat.board_version == before.seat.board_version == 3
    assert (since.seat.lifted, since.seat.touches, since.seat.fresh) == (1, before.seat.touches, 0)
    given(*ALMOST, paused(4_000, 10_000)).when(put_back(3, 11_000, account=BEN)).refuses(Refusal.NOT_YOURS)


def test_snapshots_show_the_clock_without_outages() -> None:
    """While it runs, and once it was left."""
    past = (*ALMOST, paused(4_000, 10_000))
    left = begun([*past, AttemptLeft(ANA, LEVEL, after(12_500))])

    assert match_message(NEXT, begun(past), after(12_000)).elapsed_ms == 6_000
    assert match_message(NEXT, begun(past), after(9_000)).elapsed_ms == 4_000
    assert match_message(NEXT, left, after(99_000)).elapsed_ms == 6_500
    assert isinstance(left, Ended)
    assert left.ending == Left()
    assert match_message(NEXT, left, after(99_000)).start_time.ToDatetime(after(0).tzinfo) == after(0)


def test_watchers_learn_where_the_clock_counts_from() -> None:
    """The update of a pause is no touch: it brings the clock's start and the board as it was."""
    pause = paused(4_000, 10_000)
    update = update_message([pause], begun([*ALMOST, pause]))

    assert update.start_time.ToDatetime(after(0).tzinfo) == after(6_000)
    assert (update.outcome, update.board_version, update.tiles_left, update.lifted) == (0, 3, 2, 1)
    assert not update.uncovered
    assert update.state == match_pb2.MATCH_STATE_RUNNING


def test_a_list_reads_the_clock_of_a_running_attempt_from_the_outages() -> None:
    """As its facts would tell once they are written."""
    told = (outage(-1_000, 500), outage(4_000, 10_000), outage(30_000, 40_000))

    assert clock_since(after(0), told, after(20_000)) == after(6_500)
    settled = begun([*ALMOST, *pauses(folded(ALMOST), told, after(20_000))])
    assert settled.clock_since == after(6_500)


def test_time_goes_on_from_the_end_of_an_outage() -> None:
    """A command received within it happened when it was over."""
    past = (*START, paused(4_000, 10_000))
    early = Touch(ANA, 0, 0, after(7_000))

    assert decide(early, folded(past)) == [TileLifted(0, None, after(10_000))]
