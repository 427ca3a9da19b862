"""An arena from round to round: breaks, fresh boards, leaving, and what a seat brings along."""

from __future__ import annotations

from uuid import UUID

import pytest

from services.match.domain.refusal import Refusal
from services.match.domain.rivals.clocks import Outage, next_deadline
from services.match.domain.rivals.events import RoundDealt, RoundStarted, SeatWentOut
from services.match.domain.rivals.match_events import MatchRoundEnded
from services.match.domain.rivals.sequence import goes_on, standings
from services.match.domain.rivals.state import Countdown, Over, Playing
from services.match.domain.rivals.terms import EndReason, OutReason, reveal_of
from services.match.rounds.play import ROUND_KIND
from tests.support.arenas import SEATS, Arena, ms_of
from tests.support.rounds import Table, at, fold


def in_break() -> tuple[Arena, int]:
    """A match whose first round has just ended with 300, 200, 100 and 0; and when."""
    arena = Arena.begun()
    return arena, arena.play_round((3, 2, 1, 0), 0)


def dealt_of(table: Table) -> RoundDealt:
    """How a round was dealt."""
    first = table.events[0]
    assert isinstance(first, RoundDealt)
    return first


def test_an_arena_begins_with_a_countdown_of_three_seconds() -> None:
    """As every game of several seats: before it nothing can be done, leaving included."""
    table = Arena.laid().table

    assert table.leave(0, -1) is Refusal.NOT_STARTED
    assert table.until(0) == [RoundStarted(at(0))]


def test_an_arena_has_three_rounds() -> None:
    """The third one ends the match; until then each leads on to the next."""
    arena, end_ms = in_break()
    for number in (2, 3):
        assert arena.ended is None
        assert dealt_of(arena.table).stage.number == number
        end_ms = arena.play_round((1, 1, 1, 1), end_ms + 10_000)

    assert [table.state.round.stage.number for table in arena.played if isinstance(table.state, Over)] == [
        1,
        2,
        3,
    ]
    assert arena.ended is not None
    assert [goes_on(table.state) for table in arena.played] == [True, True, False]


def test_a_break_of_ten_seconds_lies_between_the_rounds() -> None:
    """From the end of a round to the signal of the next, to the millisecond."""
    arena, end_ms = in_break()
    assert arena.table.until(end_ms + 9_999) == []
    assert arena.table.until(end_ms + 10_000) == [RoundStarted(at(end_ms + 10_000))]


def test_a_round_that_is_dealt_late_does_not_make_the_break_longer() -> None:
    """The timer looked 150 ms after the end: the signal still comes 10 s after it."""
    arena = Arena.begun()
    arena.table.until(20_000)
    arena.end_round(late_ms=150)

    assert arena.table.until(30_000) == [RoundStarted(at(30_000))]


@pytest.mark.parametrize("late_ms", [8_000, 60_000])
def test_a_round_that_is_dealt_very_late_is_counted_down_all_the_same(late_ms: int) -> None:
    """Nobody served at the end of the round: three seconds are left to everybody."""
    arena = Arena.begun()
    arena.table.until(20_000)
    arena.end_round(late_ms=late_ms)
    signal_ms = 20_000 + late_ms + 3_000
    assert arena.table.until(signal_ms - 1) == []

    assert arena.table.until(signal_ms) == [RoundStarted(at(signal_ms))]


def test_in_a_break_nothing_can_be_played() -> None:
    """By name, and nothing changes."""
    arena, end_ms = in_break()
    table, before = arena.table, arena.table.state
    orders = (
        table.touch(0, 0, end_ms + 5_000),
        table.put_back(0, end_ms + 5_000),
        table.use_joker(0, end_ms + 5_000),
    )

    assert set(orders) == {Refusal.NOT_STARTED}
    assert table.state == before


def test_an_outage_in_a_break_makes_it_longer() -> None:
    """Ten seconds in which somebody served."""
    arena, end_ms = in_break()
    arena.table.outages = (Outage(at(end_ms + 2_000), at(end_ms + 62_000)),)
    assert arena.table.until(end_ms + 69_999)[-1].occurred_at == at(end_ms + 62_000)

    assert arena.table.until(end_ms + 70_000) == [RoundStarted(at(end_ms + 70_000))]


def test_who_was_out_for_want_of_pairs_plays_the_next_round() -> None:
    """Twenty seconds without a pair end a part in a round, not in the match."""
    arena, end_ms = in_break()
    arena.table.until(end_ms + 10_000)
    assert isinstance(arena.table.state, Playing)

    assert [player.out for player in arena.table.state.players] == [None] * 4
    assert isinstance(arena.table.touch(3, 0, end_ms + 11_000), list)


def test_scores_records_and_jokers_begin_anew_in_each_round() -> None:
    """The round score is a round's, and so is the shortest time of a pair."""
    arena, end_ms = in_break()
    arena.table.until(end_ms + 10_000)
    assert isinstance(arena.table.state, Playing)

    assert {(p.score, p.record_ms, p.jokers_used) for p in arena.table.state.players} == {(0, None, 0)}


def test_a_seat_has_its_touches_anew_in_each_round() -> None:
    """1,200 a seat and round."""
    arena, end_ms = in_break()
    first = arena.played[0].state
    arena.table.until(end_ms + 10_000)
    assert isinstance(first, Over)
    assert isinstance(arena.table.state, Playing)

    assert [player.board.touches for player in first.players] == [6, 4, 2, 0]
    assert [player.board.touches for player in arena.table.state.players] == [0] * 4


def test_whoever_leaves_scores_0_in_the_rounds_that_follow() -> None:
    """The score of the round that was left stays; the others go on without that seat."""
    arena = Arena.begun()
    arena.table.pair(0, 0, 1, 1_000)
    arena.table.leave(0, 2_000)
    end_ms = arena.play_round((0, 1, 1, 1), 3_000)
    second = arena.table
    second.until(end_ms + 10_000)
    refused = second.touch(0, 0, end_ms + 10_001)
    end_ms = arena.play_round((0, 1, 1, 1), end_ms + 10_000)
    arena.play_round((0, 1, 1, 1), end_ms + 10_000)
    assert arena.ended is not None

    assert refused is Refusal.SEAT_OUT
    assert arena.ended.round_scores[0] == (100, 0, 0)


def test_whoever_leaves_is_still_placed() -> None:
    """And gets the prize of that place: here the first."""
    arena = Arena.begun()
    for count in range(1, 7):
        arena.table.pair(0, 2 * count - 2, 2 * count - 1, 1_000 * count)
    arena.table.leave(0, 6_500)
    end_ms = arena.play_round((0, 1, 0, 0), 7_000)
    for _ in range(2):
        end_ms = arena.play_round((0, 1, 0, 0), end_ms + 10_000)
    assert arena.ended is not None

    assert (arena.ended.scores[0], arena.ended.places[0], arena.ended.points[0]) == (600, 1, 80)


def test_one_can_leave_in_a_break() -> None:
    """The seat is out from the signal on; leaving twice is refused."""
    arena, end_ms = in_break()
    left = arena.table.leave(2, end_ms + 4_000)
    again = arena.table.leave(2, end_ms + 5_000)
    arena.table.until(end_ms + 10_000)
    assert isinstance(arena.table.state, Playing)

    assert left == [SeatWentOut(2, OutReason.LEFT, at(end_ms + 4_000))]
    assert again is Refusal.SEAT_OUT
    assert [player.out for player in arena.table.state.players] == [None, None, OutReason.LEFT, None]


def test_one_can_leave_the_match_when_out_for_want_of_pairs() -> None:
    """The round is over for that seat anyway; the next ones begin without it."""
    arena = Arena.begun()
    arena.table.pair(0, 0, 1, 19_000)
    arena.table.until(20_000)
    left = arena.table.leave(1, 21_000)
    arena.table.until(39_000)
    arena.end_round()

    assert left == [SeatWentOut(1, OutReason.LEFT, at(21_000))]
    assert dealt_of(arena.table).stage.left == (1,)


def test_a_match_that_everybody_has_left_is_over() -> None:
    """No further round is dealt to nobody."""
    arena = Arena.begun()
    arena.table.pair(3, 0, 1, 500)
    for seat in range(4):
        arena.table.leave(seat, 1_000 + seat)
    arena.end_round()
    assert arena.ended is not None

    assert arena.ended.scores == (0, 0, 0, 100)
    assert arena.ended.round_scores == ((0,), (0,), (0,), (100,))
    assert isinstance(arena.facts[-2], MatchRoundEnded)
    assert arena.facts[-2].next_round_id is None


def test_a_round_for_which_nobody_stayed_ends_at_its_signal() -> None:
    """The last ones left in the break: nobody waits for five minutes."""
    arena, end_ms = in_break()
    for seat in range(4):
        arena.table.leave(seat, end_ms + 1_000)
    told = arena.table.until(end_ms + 10_000)
    arena.end_round()
    over = arena.played[-1].state
    assert isinstance(over, Over)
    assert arena.ended is not None

    assert told[0] == RoundStarted(at(end_ms + 10_000))
    assert over.ended.reason is EndReason.ALL_OUT
    assert arena.ended.scores == (300, 200, 100, 0)


def test_a_round_with_one_player_left_is_played() -> None:
    """That player may still win places."""
    arena, end_ms = in_break()
    for seat in (0, 1, 2):
        arena.table.leave(seat, end_ms + 1_000)
    end_ms = arena.play_round((0, 0, 0, 2), end_ms + 10_000)
    arena.play_round((0, 0, 0, 2), end_ms + 10_000)
    assert arena.ended is not None

    assert arena.ended.scores == (300, 200, 100, 400)


def test_a_command_for_an_earlier_round_is_stale() -> None:
    """A seat's versions go on counting: none of the first round is one of the second."""
    arena, end_ms = in_break()
    first = arena.played[0].state
    arena.table.until(end_ms + 10_000)
    assert isinstance(first, Over)
    assert isinstance(arena.table.state, Playing)
    versions = [player.board.board_version for player in first.players]
    now = [player.board.board_version for player in arena.table.state.players]

    assert all(later > before for later, before in zip(now, versions, strict=True))


def test_a_round_tells_how_those_before_it_ended_with_their_deals() -> None:
    """So what a seat needs to go on stands in the round's own stream."""
    arena, _ = in_break()
    over = arena.played[0].state
    assert isinstance(over, Over)
    (earlier,) = dealt_of(arena.table).stage.earlier

    assert (earlier.reason, earlier.seats) == (over.ended.reason, over.ended.seats)
    assert earlier.reveal == reveal_of(over.round.deal)


def test_the_standing_so_far_counts_the_rounds_that_are_over() -> None:
    """In the break, and while the next round is played: what is scored there comes when it is over."""
    arena, end_ms = in_break()
    in_the_break = standings(arena.table.state) if isinstance(arena.table.state, Countdown) else ()
    arena.table.until(end_ms + 10_000)
    arena.table.pair(3, 0, 1, end_ms + 11_000)
    assert isinstance(arena.table.state, Playing)

    assert standings(arena.table.state) == in_the_break
    assert [(seat.account_id, seat.score, seat.place, seat.points) for seat in in_the_break] == [
        (account, score, place, 0)
        for account, score, place in zip(SEATS, (300, 200, 100, 0), (1, 2, 3, 4), strict=True)
    ]


def test_every_round_is_a_stream_that_replays_to_the_same_state() -> None:
    """From its events alone."""
    arena, end_ms = in_break()
    arena.play_round((1, 2, 0, 0), end_ms + 10_000)

    for table in (*arena.played, arena.table):
        assert fold(table.events) == table.state


def test_a_reader_of_a_round_sees_its_end_and_goes_on_with_the_next() -> None:
    """For the stream of a round an end is an end; the countdown of the next one is a deadline like any."""
    arena, end_ms = in_break()
    deadline = next_deadline(arena.table.state)
    assert deadline is not None

    assert ROUND_KIND.is_over(arena.played[0].state)
    assert ms_of(deadline.due) == end_ms + 10_000


def test_strangers_are_refused_in_a_break_too() -> None:
    """A match is for those who sit in it."""
    arena, end_ms = in_break()
    state = arena.table.state
    assert isinstance(state, Countdown)

    assert UUID(int=0x99) not in state.round.accounts
    assert ms_of(state.signal_at) == end_ms + 10_000
