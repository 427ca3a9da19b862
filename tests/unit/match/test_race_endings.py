"""How races end, who comes where, and what it does to ratings and to those who are away."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from uuid import UUID

from services.match.domain.pauses import Outage
from services.match.domain.race.clocks import cpu_due, cpu_since, wake_at
from services.match.domain.race.commands import Cpu
from services.match.domain.race.events import ClockPaused, RaceSeatBack
from services.match.domain.race.placing import live_order
from services.match.domain.race.rating import Rating
from services.match.domain.race.settings import Difficulty
from services.match.domain.race.state import Racing, elapsed_ms
from services.match.domain.race.terms import CpuLevel, EndReason, FinishClass
from tests.support.attempts import ANA, BEN
from tests.support.race_table import APART, BLOCKED, SIX, RaceTable, race_deal

CIN, DAN = UUID(int=0xC1), UUID(int=0xD1)
MINUTE = 60_000
HOUR = 60 * MINUTE


def _classes(table: RaceTable) -> list[FinishClass]:
    return [end.finish_class for end in table.ended.ends]


def test_places_go_by_class_then_by_time_then_by_progress() -> None:
    """Within the limit, over it, unfinished, given up."""
    table = RaceTable.begun([ANA, BEN, CIN, DAN], shuffles=0)
    table.remove(1, ANA, 0, 1)
    table.remove(1, ANA, 2, 3)
    table.give_up(2, ANA)
    table.clear(9 * MINUTE, BEN)
    table.clear(11 * MINUTE, CIN)
    table.until(HOUR)

    assert _classes(table) == [
        FinishClass.GIVEN_UP,
        FinishClass.WITHIN_LIMIT,
        FinishClass.OVER_LIMIT,
        FinishClass.UNFINISHED,
    ]
    assert table.places == [4, 1, 2, 3]


def test_a_finish_at_the_limit_is_within_it() -> None:
    """And one millisecond later it is over it."""
    table = RaceTable.begun([ANA, BEN], time_limit_min=1)
    table.clear(MINUTE, ANA)
    table.clear(MINUTE + 1, BEN)

    assert _classes(table) == [FinishClass.WITHIN_LIMIT, FinishClass.OVER_LIMIT]


def test_equal_time_is_a_tie() -> None:
    """To the millisecond."""
    table = RaceTable.begun([ANA, BEN, CIN])
    table.clear(500, ANA)
    table.clear(500, BEN)
    table.clear(600, CIN)

    assert table.places == [1, 1, 3]


def test_equal_progress_is_a_tie() -> None:
    """Whoever got there first."""
    table = RaceTable.begun([ANA, BEN])
    table.remove(1, ANA, 0, 1)
    table.remove(2, BEN, 2, 3)
    table.until(HOUR)

    assert table.places == [1, 1]
    assert table.ended.reason is EndReason.TIME


def test_blocked_without_shuffles_is_unfinished_whether_or_not_give_up_was_pressed() -> None:
    """The race is over as soon as nobody can do anything."""
    table = RaceTable.begun([ANA, BEN], BLOCKED, shuffles=0)
    table.give_up(1, ANA)

    assert _classes(table) == [FinishClass.UNFINISHED, FinishClass.UNFINISHED]
    assert table.ended.reason is EndReason.ALL_DONE


def test_giving_up_with_something_left_to_do_comes_last_by_progress_among_those_who_did() -> None:
    """Even with more tiles removed than those who play to the end."""
    table = RaceTable.begun([ANA, BEN, CIN])
    table.remove(1, ANA, 0, 1)
    table.remove(1, ANA, 2, 3)
    table.remove(1, BEN, 0, 1)
    table.give_up(2, ANA)
    table.give_up(2, BEN)
    table.until(HOUR)

    assert table.places == [2, 3, 1]


def test_sixty_minutes_after_the_start_it_ends_regardless() -> None:
    """An order at that instant is too late."""
    table = RaceTable.begun([ANA])
    table.remove(HOUR - 1, ANA, 0, 1)
    assert isinstance(table.state, Racing)
    table.until(HOUR)

    assert table.ended.occurred_at == table.at(HOUR)
    assert elapsed_ms(table.state, table.at(2 * HOUR)) == HOUR


def test_cpu_players_do_not_keep_a_race_going_and_do_not_end_it() -> None:
    """A CPU player may be first; people go on, and when they are done it is over."""
    table = RaceTable.begun([ANA], cpu=[CpuLevel.HARD, CpuLevel.EASY])
    table.clear(5, Cpu(1))
    assert isinstance(table.state, Racing)
    table.clear(10, ANA)

    assert table.places == [2, 1, 3]


def test_the_live_order_is_finished_by_time_then_tiles_removed_then_who_got_there_first() -> None:
    """Of four."""
    table = RaceTable.begun([ANA, BEN, CIN, DAN])
    table.remove(1, ANA, 0, 1)
    table.remove(2, BEN, 0, 1)
    table.clear(3, CIN)
    racing = table.state
    assert isinstance(racing, Racing)

    assert live_order(racing.racers) == [2, 0, 1, 3]


def test_under_the_handicap_the_share_of_tiles_decides_not_their_number() -> None:
    """Boards differ in size then."""
    small = race_deal(APART, "1m 1m 2m 2m 3m 3m", SIX.certificate, Difficulty.START)
    large = race_deal(BLOCKED.layout, "1m 1m 1m 1m", [(1, 3), (0, 2)], Difficulty.HARD)
    table = RaceTable.begun([ANA, BEN], deals=[small, large])
    table.remove(1, ANA, 0, 1)
    table.remove(2, BEN, 1, 3)
    racing = table.state
    assert isinstance(racing, Racing)

    assert [racer.share for racer in racing.racers] == [Fraction(1, 3), Fraction(1, 2)]
    assert live_order(racing.racers) == [1, 0]


def test_progress_is_whole_percent_rounded_down() -> None:
    """A third is 33, two thirds 66; 100 only when it is cleared."""
    table = RaceTable.begun([ANA, BEN])
    shown = []
    for pair in SIX.certificate:
        table.remove(1, ANA, *pair)
        shown.append(table.racer(0).percent)

    assert shown == [33, 66, 100]


def test_a_race_ends_when_everybody_who_could_play_has_been_away_for_the_grace() -> None:
    """Thirty seconds after the last one left."""
    table = RaceTable.begun([ANA, BEN])
    table.leave(1_000, ANA)
    table.leave(5_000, BEN)
    table.until(34_999)
    assert isinstance(table.state, Racing)
    table.until(35_000)

    assert _classes(table) == [FinishClass.GIVEN_UP] * 2
    assert all(end.cpu_played for end in table.ended.ends)


def test_whoever_moves_is_back_with_the_board_as_it_stands() -> None:
    """The seat is kept as long as the race lasts."""
    table = RaceTable.begun([ANA, BEN])
    table.remove(1, ANA, 0, 1)
    table.leave(2, ANA)
    moved = table.remove(50_000, ANA, 2, 3)

    assert isinstance(moved, list)
    assert moved[0] == RaceSeatBack(0, table.at(50_000))
    assert table.racer(0).tiles_left == 2
    assert table.come_back(50_001, ANA) == []


def test_after_the_grace_the_cpu_plays_for_the_absent_and_its_finish_is_marked_in_the_fourth_class() -> None:
    """A board that the CPU cleared stands behind one that a person did not finish."""
    table = RaceTable.begun([ANA, BEN])
    table.leave(0, ANA)
    racing = table.state
    assert isinstance(racing, Racing)
    assert cpu_since(racing.race, racing.racers[0]) == table.at(30_000)
    assert cpu_since(racing.race, racing.racers[1]) is None
    table.clear(40_000, Cpu(0))
    table.come_back(41_000, ANA)
    table.until(HOUR)

    assert _classes(table) == [FinishClass.GIVEN_UP, FinishClass.UNFINISHED]
    assert table.ended.ends[0].cpu_played
    assert table.places == [2, 1]


def test_with_an_idle_limit_the_cpu_plays_for_who_makes_no_move_until_they_move_again() -> None:
    """Thirty or sixty seconds after the last move, or the signal."""
    table = RaceTable.begun([ANA, BEN], idle_limit_s=30)
    racing = table.state
    assert isinstance(racing, Racing)
    assert cpu_since(racing.race, racing.racers[0]) == table.at(30_000)
    table.remove(35_000, Cpu(0), 0, 1)
    table.remove(36_000, ANA, 2, 3)
    racing = table.state
    assert isinstance(racing, Racing)

    assert cpu_since(racing.race, racing.racers[0]) == table.at(66_000)


def test_the_cpu_waits_out_a_shuffle_pause_like_anybody() -> None:
    """Its next move is due after it."""
    table = RaceTable.begun([ANA], BLOCKED, cpu=[CpuLevel.HARD], shuffle_pause_s=60, shuffles=None)
    racing = table.state
    assert isinstance(racing, Racing)
    due = cpu_due(racing.race, 1, racing.racers[1])
    assert due is not None and due < table.at(5_000)
    paused = table.at(60_000)
    later = cpu_due(racing.race, 1, replace(racing.racers[1], pause_until=paused))

    assert later is not None and later > paused
    assert wake_at(racing) == due


def test_an_outage_stands_still_for_every_clock_and_everybody_has_the_grace_to_come_back() -> None:
    """The time in which nobody could play counts for nobody."""
    table = RaceTable.begun([ANA, BEN])
    table.outages = (Outage(table.at(10_000), table.at(40_000)),)
    table.until(45_000)
    racing = table.state
    assert isinstance(racing, Racing)
    table.remove(50_000, ANA, 0, 1)

    assert any(isinstance(event, ClockPaused) for event in table.events)
    assert elapsed_ms(racing, table.at(50_000)) == 20_000
    assert [racer.away_since for racer in racing.racers] == [table.at(40_000)] * 2
    assert table.racer(0).away_since is None


def test_ratings_compare_pairwise_and_a_tie_is_one_half() -> None:
    """Equals who tie keep their rating; a winner rises, a loser falls."""
    tied = RaceTable.begun([ANA, BEN], rated=True)
    tied.clear(5, ANA)
    tied.clear(5, BEN)
    won = RaceTable.begun([ANA, BEN], rated=True)
    won.clear(5, ANA)
    won.give_up(6, BEN)

    assert [end.rating and end.rating.after for end in tied.ended.ends] == [1_500, 1_500]
    first, second = (end.rating for end in won.ended.ends)
    assert first is not None and second is not None
    assert first.after > 1_500 > second.after
    assert (first.before, second.before) == (0, 0)


def test_a_finish_over_the_limit_never_raises_a_rating_and_can_lower_it() -> None:
    """The first over the limit stays; the second falls by its place."""
    table = RaceTable.begun([ANA, BEN], rated=True)
    table.ratings = {ANA: Rating(25, 5, 3), BEN: Rating(25, 5, 3)}
    table.clear(11 * MINUTE, ANA)
    table.clear(12 * MINUTE, BEN)
    first, second = (end.rating for end in table.ended.ends)

    assert first is not None and first.after == first.before == 1_500
    assert second is not None and second.after < second.before


def test_unrated_races_touch_no_rating() -> None:
    """Nothing is said about them."""
    table = RaceTable.begun([ANA])
    table.clear(5, ANA)

    assert table.ended.ends[0].rating is None


def test_the_grace_and_the_countdown_are_thirty_and_three_seconds() -> None:
    """As the source has it."""
    table = RaceTable.laid([ANA])

    assert wake_at(table.state) == table.at(0)
    table.until(0)
    assert wake_at(table.state) == table.at(0) + timedelta(hours=1)
