"""Countdown, 20 seconds, five minutes, and outages that nobody loses time to."""

from __future__ import annotations

import pytest

from services.match.domain.refusal import Refusal
from services.match.domain.rivals.clocks import Outage, clock_ms, next_deadline
from services.match.domain.rivals.events import (
    ClockPaused,
    RoundEnded,
    RoundStarted,
    SeatRemovedPair,
    SeatWentOut,
)
from services.match.domain.rivals.state import Countdown, Over, Playing
from services.match.domain.rivals.terms import EndReason, OutReason
from tests.support.attempts import after
from tests.support.rounds import Table, apart, at

PAIRS = "1m 1m 2m 2m 3m 3m 4m 4m 5m 5m 6m 6m 7m 7m"


def laid() -> Table:
    """Fourteen tiles apart, in pairs of neighbours, the countdown running."""
    return Table.laid(apart(14), PAIRS)


def begun() -> Table:
    """The same after the signal."""
    return Table.begun(apart(14), PAIRS)


def outage(since_ms: int, until_ms: int) -> Outage:
    """An outage, in milliseconds after the signal as first planned."""
    return Outage(at(since_ms), at(until_ms))


def test_the_signal_comes_three_seconds_after_the_deal() -> None:
    """Not a millisecond earlier, and it occurred then however late it is noticed."""
    table = laid()
    assert table.until(-1) == []
    assert table.until(900) == [RoundStarted(at(0))]
    assert at(0) == after(3_000)


@pytest.mark.parametrize("ms", [-3_000, -1])
def test_before_the_signal_every_command_is_refused(ms: int) -> None:
    """By name, and nothing changes."""
    table = laid()
    orders = (table.touch(0, 0, ms), table.put_back(0, ms), table.use_joker(0, ms), table.leave(0, ms))

    assert set(orders) == {Refusal.NOT_STARTED}
    assert isinstance(table.state, Countdown)


def test_a_command_at_the_signal_is_in_time() -> None:
    """The signal is settled first, then the command judged."""
    table = laid()

    assert isinstance(table.touch(0, 0, 0), list)


def test_a_seat_is_out_20_seconds_after_the_signal_without_a_pair() -> None:
    """At that millisecond, and it occurred at it."""
    table = begun()
    table.pair(1, 0, 1, 15_000)
    assert table.until(19_999) == []
    assert table.until(27_000) == [SeatWentOut(0, OutReason.IDLE, at(20_000))]


def test_a_command_at_its_deadline_is_too_late() -> None:
    """One millisecond earlier it is not."""
    late, early = begun(), begun()
    for table in (late, early):
        table.pair(1, 0, 1, 15_000)

    assert isinstance(early.touch(0, 0, 19_999), list)
    assert late.touch(0, 0, 20_000) is Refusal.SEAT_OUT


def test_each_pair_gives_20_seconds_more() -> None:
    """They count from the last pair."""
    table = begun()
    table.pair(0, 0, 1, 19_000)
    table.pair(1, 0, 1, 19_000)

    assert table.until(38_999) == []
    assert table.until(39_000)[0] == SeatWentOut(0, OutReason.IDLE, at(39_000))


def test_touches_that_make_no_pair_give_no_time() -> None:
    """Lifting and putting back do not count."""
    table = begun()
    table.pair(1, 0, 1, 19_000)
    table.touch(0, 0, 19_500)
    table.put_back(0, 19_900)

    assert table.until(20_000) == [SeatWentOut(0, OutReason.IDLE, at(20_000))]


def test_a_joker_pair_gives_20_seconds_more() -> None:
    """It resets them like any pair."""
    table = begun()
    table.pair(1, 0, 1, 19_000)
    table.touch(0, 2, 19_000)
    table.use_joker(0, 19_000)
    table.joker_spent(0, 1, 19_500)

    assert table.player(0).idle_since == at(19_500)
    assert table.until(39_499)[0] == SeatWentOut(1, OutReason.IDLE, at(39_000))


def test_a_pending_joker_holds_the_20_seconds() -> None:
    """They stand until it is decided; given up, they go on from where they stood."""
    table = begun()
    table.pair(1, 0, 1, 19_000)
    table.touch(0, 2, 19_000)
    table.use_joker(0, 19_000)
    assert table.until(23_000) == []
    table.joker_lost(0, 1, 24_000)

    assert table.until(24_999) == []
    assert table.until(25_000) == [SeatWentOut(0, OutReason.IDLE, at(25_000))]


def test_the_round_ends_when_every_seat_is_out() -> None:
    """Both at one instant, or one after the other."""
    table = begun()
    both = table.until(30_000)

    assert both[:2] == [
        SeatWentOut(0, OutReason.IDLE, at(20_000)),
        SeatWentOut(1, OutReason.IDLE, at(20_000)),
    ]
    assert isinstance(both[2], RoundEnded)
    assert (both[2].reason, both[2].occurred_at) == (EndReason.ALL_OUT, at(20_000))


def test_the_round_ends_five_minutes_after_the_signal() -> None:
    """For everybody, even in the middle of a lift."""
    table = Table.begun(apart(34), " ".join(f"{n}m {n}m" for n in [*range(1, 10)] * 2)[: 34 * 3 - 1])
    for n in range(16):
        table.pair(0, 2 * n, 2 * n + 1, (n + 1) * 18_000)
        table.pair(1, 2 * n, 2 * n + 1, (n + 1) * 18_000)
    assert table.until(299_999) == []
    ended = table.until(300_000)[0]

    assert isinstance(ended, RoundEnded)
    assert (ended.reason, ended.occurred_at) == (EndReason.TIME, at(300_000))


def test_an_outage_moves_every_running_clock_on() -> None:
    """Signal to limit, 20 seconds, pace: none of them runs while nobody could play."""
    table = begun()
    table.pair(0, 0, 1, 4_000)
    table.pair(1, 0, 1, 4_000)
    table.outages = (outage(5_000, 65_000),)
    first = table.until(65_000)
    assert first == [ClockPaused(at(5_000), at(65_000), at(65_000))]
    faster = table.pair(0, 2, 3, 67_000)[0]

    assert isinstance(faster, SeatRemovedPair)
    assert (faster.took_ms, faster.worth) == (3_000, 200)
    assert table.until(83_999) == []
    assert table.until(84_000) == [SeatWentOut(1, OutReason.IDLE, at(84_000))]
    assert isinstance(table.state, Playing)
    assert clock_ms(table.state, at(84_000)) == 24_000


def test_an_outage_in_the_countdown_moves_the_signal() -> None:
    """What was left of the countdown is counted afterwards."""
    table = laid()
    table.outages = (outage(-1_000, 9_000),)

    assert table.until(9_999) == [ClockPaused(at(-1_000), at(9_000), at(9_000))]
    assert table.until(10_000) == [RoundStarted(at(10_000))]


def test_an_outage_that_began_before_the_deal_counts_from_the_deal() -> None:
    """Only what overlaps the round is taken out of it."""
    table = laid()
    table.outages = (outage(-9_000, -2_000),)

    assert table.until(-2_000) == [ClockPaused(at(-3_000), at(-2_000), at(-2_000))]
    assert table.until(1_000) == [RoundStarted(at(1_000))]


def test_what_was_due_before_an_outage_comes_before_its_pause() -> None:
    """A deadline that had passed when the lights went out has decided."""
    table = laid()
    table.outages = (outage(500, 60_000),)
    found = table.until(60_000)

    assert found == [RoundStarted(at(0)), ClockPaused(at(500), at(60_000), at(60_000))]


def test_an_outage_is_taken_out_once() -> None:
    """However often it is told, and only the new part of one that overlaps it."""
    table = begun()
    table.outages = (outage(1_000, 5_000),)
    table.until(5_000)
    assert table.until(6_000) == []
    table.outages = (outage(1_000, 5_000), outage(4_000, 8_000))

    assert table.until(8_000) == [ClockPaused(at(5_000), at(8_000), at(8_000))]
    deadline = next_deadline(table.state)
    assert deadline is not None
    assert deadline.due == at(27_000)


def test_an_outage_after_the_end_changes_nothing() -> None:
    """There are no clocks to pause."""
    table = begun()
    table.until(20_000)
    table.outages = (outage(21_000, 30_000),)

    assert table.until(40_000) == []
    assert isinstance(table.state, Over)


def test_a_pair_within_an_outage_is_paused_from_then_only() -> None:
    """A clock loses no more than what lies after its start."""
    table = begun()
    table.pair(0, 0, 1, 6_000)
    table.outages = (outage(5_000, 9_000),)
    table.until(9_000)

    assert table.player(0).idle_since == at(9_000)
    assert table.player(1).idle_since == at(4_000)
