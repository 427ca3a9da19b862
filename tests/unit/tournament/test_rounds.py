"""Rounds: when they begin, who sits where, what a seat gets, who is dropped."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from services.tournament.domain.tournament.commands import ReportTable
from services.tournament.domain.tournament.events import (
    RoundEnded,
    RoundSeated,
    TablePlayed,
    TournamentStarted,
)
from services.tournament.domain.tournament.refusal import Refusal
from services.tournament.domain.tournament.settle import settle
from services.tournament.domain.tournament.standing import met, seatable
from services.tournament.domain.tournament.state import Break, Counting, Finished, Playing
from services.tournament.domain.tournament.words import SeatResult
from tests.support.tournaments import ABSENT, SEED, TERMS, TOURNAMENT_ID, TournamentPlay, after, kinds, scored

EVERYBODY = {player: scored(1_000 - player) for player in range(1, 65)}
"""Lower numbers win their tables."""


def test_the_first_round_is_seated_at_the_start_by_the_seed() -> None:
    """Whoever settles it with the same seed seats the same; another seed seats others."""
    play = TournamentPlay()
    play.wait(-100)
    play.register(*range(1, 10))
    state = play.state
    started, seated = play.wait(5)

    assert started == TournamentStarted(SEED, after(0))
    assert isinstance(seated, RoundSeated)
    assert (seated.number, seated.multiplier, seated.occurred_at) == (1, 1, after(0))
    assert seated.ends_at == after(3_600)
    assert settle(state, after(5), SEED) == [started, seated]
    assert settle(state, after(5), bytes(32))[1] != seated
    assert sorted(player for table in seated.tables for player in table.players) == list(range(1, 10))


@pytest.mark.parametrize(
    ("players", "sizes"), [(2, [2]), (5, [3, 2]), (6, [4, 2]), (7, [4, 3]), (9, [4, 3, 2]), (64, [4] * 16)]
)
def test_everybody_is_seated_at_tables_of_two_to_four(players: int, sizes: list[int]) -> None:
    """As many fours as possible."""
    play = TournamentPlay().started(players)

    assert sorted(map(len, play.seats), reverse=True) == sizes


def test_every_table_has_a_match_of_its_own_whoever_seats_it() -> None:
    """Two replicas that seat at once name the same matches."""
    play, other = TournamentPlay().started(12), TournamentPlay().started(12)
    ids = [row.table.match_id for row in play.round.tables]

    assert ids == [row.table.match_id for row in other.round.tables]
    assert len({*ids, TOURNAMENT_ID}) == 4


def test_a_round_starts_ten_seconds_after_the_last_table_of_the_one_before() -> None:
    """After its end, not after that became known."""
    play = TournamentPlay().started(8)
    play.wait(100)
    play.report(1, [scored(1)] * 4)
    play.wait(130)
    decided = play.report(0, [scored(1)] * 4, ended=125)
    assert kinds(decided) == ["TablePlayed", "RoundEnded"]
    assert play.events[-1] == RoundEnded(1, after(135), after(125))

    assert play.wait(134.999) == []
    (seated,) = play.wait(135)
    assert isinstance(seated, RoundSeated)
    assert (seated.number, seated.multiplier, seated.occurred_at) == (2, 2, after(135))


def test_a_round_that_is_seated_late_stands_at_its_own_instant() -> None:
    """A scheduler that was down catches up in order."""
    play = TournamentPlay().started(4)
    play.wait(50)
    play.report_all(EVERYBODY)
    (seated,) = play.wait(200)

    assert seated.occurred_at == after(60)


def test_withdrawals_meanwhile_do_not_delay_the_next_round() -> None:
    """The break counts from the last table, whatever was recorded since."""
    play = TournamentPlay().started(4)
    play.wait(112)
    play.withdraw(3)
    play.wait(113)
    play.report(0, [scored(1)] * 4, ended=110)

    assert play.shaped(Break).next_at == after(120)


def test_later_rounds_seat_neighbours_in_the_standing_who_have_not_met() -> None:
    """Sixteen: the four winners of the first round are the four best, and meet."""
    play = TournamentPlay().started(16)
    winners = {min(players) for players in play.seats}
    play.report_all(EVERYBODY)
    play.wait(60)

    assert set(play.seats[0]) == winners
    assert max(met(play.shaped(Playing).field).values()) == 1


def test_nobody_meets_twice_while_that_can_be_avoided() -> None:
    """Sixteen players for three rounds; eight at two tables cannot avoid it in the second."""
    play, eight = TournamentPlay().started(16), TournamentPlay().started(8)
    for second in (60, 120):
        play.report_all(EVERYBODY)
        play.wait(second)
    eight.report_all(EVERYBODY)
    eight.wait(60)

    assert max(met(play.shaped(Playing).field).values()) == 1
    repeats = Counter(met(eight.shaped(Playing).field).values())
    assert repeats[2] == 4


def test_nobody_sits_out() -> None:
    """A legal table exists for everybody, whatever their number: sit-outs differ by nothing."""
    for players in range(2, 33):
        play = TournamentPlay().started(players)
        for second in (60, 120):
            play.report_all(EVERYBODY)
            play.wait(second)
        rounds = play.shaped(Playing).field.rounds
        seats = Counter(p for r in rounds for row in r.tables for p in row.table.players)
        assert set(seats.values()) == {3}
        assert len(seats) == players


@pytest.mark.parametrize(
    ("results", "points"),
    [
        ([scored(400), scored(300, cleared=True), scored(200), scored(100)], [20, 40, 10, 0]),
        ([scored(400), scored(300), scored(200), scored(100)], [30, 20, 10, 0]),
        ([scored(400), scored(300, cleared=True), scored(200)], [15, 30, 0]),
        ([scored(400), scored(300), scored(200)], [20, 15, 0]),
        ([scored(400), scored(300, cleared=True)], [0, 20]),
        ([scored(400), scored(300)], [10, 0]),
        ([scored(5), scored(5), scored(1), scored(0)], [25, 25, 10, 0]),
        ([scored(5), scored(5), scored(5), scored(0)], [20, 20, 20, 0]),
        ([scored(9, cleared=True), scored(5), scored(5), scored(5)], [40, 10, 10, 10]),
        ([scored(5), scored(5), scored(1)], [17, 17, 0]),
        ([scored(5), scored(5)], [5, 5]),
        ([scored(0), scored(0), scored(0), scored(0)], [0, 0, 0, 0]),
        ([scored(0, cleared=True), scored(0)], [0, 0]),
        ([scored(5), scored(3), scored(1), ABSENT], [30, 20, 10, 0]),
        ([scored(5), scored(3), scored(0), ABSENT], [30, 20, 5, 0]),
        ([scored(5), ABSENT, ABSENT, ABSENT], [30, 0, 0, 0]),
        ([scored(5), scored(0), ABSENT, ABSENT], [30, 10, 0, 0]),
        ([ABSENT, ABSENT], [0, 0]),
    ],
)
@pytest.mark.parametrize("multiplier", [1, 6])
def test_tp_by_place_shared_by_ties_rounded_down_then_multiplied(
    results: list[SeatResult], points: list[int], multiplier: int
) -> None:
    """A seat that never acted gets none, and nobody else gets what it would have got."""
    play = TournamentPlay(replace(TERMS, rounds=(multiplier,))).started(len(results))
    (players,) = play.seats
    play.wait(60)
    play.report(0, results)

    assert [play.points[player] for player in players] == [multiplier * each for each in points]
    assert isinstance(play.state, Finished)


def test_two_rounds_missed_drop_a_player_from_the_seating() -> None:
    """Missed is seated without a move; the first one costs nothing but the TP."""
    play = TournamentPlay(replace(TERMS, rounds=(1,) * 5)).started(5)
    present = {player: result for player, result in EVERYBODY.items() if player != 4}
    sizes = []
    for second in (60, 120, 180):
        sizes.append(sorted(map(len, play.seats), reverse=True))
        play.wait(second - 30)
        play.report_all(present)
        play.wait(second)
    field = play.shaped(Playing).field

    assert sizes == [[3, 2], [3, 2], [4]]
    assert field.tally_of(4).misses == 2
    assert 4 not in seatable(field)
    assert play.points[4] == 0


def test_misses_need_not_follow_each_other() -> None:
    """Who comes back between two of them is dropped all the same."""
    play = TournamentPlay(replace(TERMS, rounds=(1,) * 5)).started(6)
    for number, second in enumerate((60, 120, 180)):
        there = {player: result for player, result in EVERYBODY.items() if player != 2 or number == 1}
        play.report_all(there)
        play.wait(second)

    assert sorted(player for table in play.seats for player in table) == [1, 3, 4, 5, 6]


def test_a_withdrawn_player_keeps_tp_and_place_and_is_seated_no_more() -> None:
    """The table that is played goes on with the seat."""
    play = TournamentPlay().started(4)
    play.wait(30)
    play.withdraw(1)
    play.report_all(EVERYBODY)
    play.wait(60)

    assert play.seats == [(2, 3, 4)]
    assert play.points == {1: 30, 2: 20, 3: 10, 4: 0}


def test_equal_tp_stand_in_the_order_of_registration() -> None:
    """A new registration after a withdrawal takes the new time; at one instant the account decides."""
    play = TournamentPlay()
    play.wait(-100)
    play.register(3, 1, 2)
    play.withdraw(3)
    play.wait(-50)
    play.register(3)
    play.wait(0)

    assert list(play.points) == [2, 3, 4]
    accounts = [play.shaped(Playing).field.entrants[player].account_id.int - 0xA000 for player in play.points]
    assert accounts == [1, 2, 3]


def test_a_repeated_or_late_report_changes_nothing() -> None:
    """However often the match tells its end."""
    play = TournamentPlay().started(8)
    play.wait(50)
    first = play.report(0, [scored(9), scored(3), scored(2), scored(1)])
    assert kinds(first) == ["TablePlayed"]
    assert play.report(0, [scored(1), scored(9), scored(2), scored(3)]) == []

    play.report(1, [scored(1)] * 4)
    old = play.round.tables[1].table.match_id
    play.wait(120)
    assert play.give(ReportTable(old, (scored(7),) * 4, False, after(60), play.now)) == []


@pytest.mark.parametrize(
    ("results", "cut"),
    [
        ([scored(1)] * 3, False),
        ([scored(-1)] + [scored(1)] * 3, False),
        ([scored(1, cleared=True)] * 2 + [scored(1)] * 2, False),
        ([scored(1, cleared=True)] + [scored(1)] * 3, True),
    ],
)
def test_results_that_no_table_can_have_are_refused(results: list[SeatResult], cut: bool) -> None:
    """A wrong number of seats, negative scores, two that cleared, a clearing at a table that was cut."""
    play = TournamentPlay().started(4)
    play.wait(30)

    assert play.report(0, results, cut=cut) is Refusal.FIELD_INVALID


def test_a_match_of_no_table_is_refused() -> None:
    """Nobody asked for it."""
    play = TournamentPlay().started(4)

    assert play.give(ReportTable(TOURNAMENT_ID, (), False, after(1), after(1))) is Refusal.NOT_FOUND


def test_no_fact_is_older_than_the_one_before() -> None:
    """Ends that become known out of order keep their own instants beside that."""
    play = TournamentPlay().started(12)
    play.wait(100)
    for table, ended in ((2, 90), (0, 40), (1, 70)):
        play.report(table, [scored(1)] * 4, ended=ended)
    played = [event for event in play.events if isinstance(event, TablePlayed)]

    assert [event.ended_at for event in played] == [after(90), after(40), after(70)]
    assert all(one.occurred_at <= other.occurred_at for one, other in pairwise(play.events))
    assert play.shaped(Break).next_at == after(100)


def test_the_break_may_be_as_long_as_the_end_is_away() -> None:
    """A round that would begin with the end does not begin."""
    play = TournamentPlay().started(4)
    play.wait(3_595)
    play.report_all(EVERYBODY, cut=False)
    play.wait(3_601)

    assert isinstance(play.state, Finished | Counting)
    assert len(play.shaped(Finished).field.rounds) == 1
