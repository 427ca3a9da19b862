"""The end of a tournament: when, what counts, who is paid what."""

from __future__ import annotations

from dataclasses import replace

from services.tournament.domain.tournament.events import (
    PrizesAwarded,
    TournamentClosing,
    TournamentFinished,
)
from services.tournament.domain.tournament.state import (
    Break,
    Counting,
    Finished,
    Playing,
)
from services.tournament.domain.tournament.terms import Prize
from services.tournament.domain.tournament.words import Award, Ending, Line
from tests.support.tournaments import (
    CHAMPIONS,
    TERMS,
    TournamentPlay,
    account,
    after,
    kinds,
    scored,
)

EVERYBODY = {player: scored(1_000 - player) for player in range(1, 65)}
ONE_ROUND = replace(TERMS, rounds=(1,))
MONDAY = TERMS.prizes[0]


def finished(players: int = 4) -> TournamentPlay:
    """A tournament of one round that is over after a minute, lower numbers first."""
    play = TournamentPlay(ONE_ROUND).started(players)
    play.wait(60)
    play.report_all(EVERYBODY)
    return play


def test_it_ends_when_its_rounds_are_over() -> None:
    """The last table's end is that of the tournament; prizes come with it."""
    play = finished()

    assert kinds(play.events[-4:]) == ["TablePlayed", "RoundEnded", "TournamentFinished", "PrizesAwarded"]
    assert play.events[-2] == TournamentFinished(
        Ending.ROUNDS, (Line(1, 30), Line(2, 20), Line(3, 10), Line(4, 0)), after(60)
    )
    assert play.events[-1] == PrizesAwarded(
        tuple(Award(n, n, n, account(n), TERMS.prizes[n - 1]) for n in (1, 2, 3)), after(60), after(60)
    )
    assert play.wait(10_000) == []


def test_the_end_cuts_every_round_that_is_played_and_counts_it_as_it_stands() -> None:
    """O8: what was begun before the end counts as it stood; the standing is final when all have reported."""
    play = TournamentPlay().started(8)
    assert play.wait(3_601) == [TournamentClosing(Ending.TIME, None, after(3_600))]
    assert isinstance(play.state, Counting)

    play.report(0, [scored(4), scored(3), scored(2), scored(1)], ended=3_600, cut=True)
    assert "TournamentFinished" not in kinds(play.events)
    play.wait(3_605)
    play.report(1, [scored(8), scored(7), scored(6), scored(5)], ended=3_600, cut=True)
    assert play.shaped(Finished).finished_at == after(3_600)
    assert sorted(play.points.values()) == [0, 0, 10, 10, 20, 20, 30, 30]


def test_a_round_interrupted_by_the_end_counts_by_the_row_without_clearing() -> None:
    """30, 20, 10, 0: nobody has cleared."""
    play = TournamentPlay(replace(TERMS, rounds=(6,))).started(4)
    play.wait(3_600)
    play.report(0, [scored(1), scored(2), scored(3), scored(4)], cut=True)

    assert list(play.points.values()) == [180, 120, 60, 0]


def test_a_table_that_had_ended_before_the_end_may_report_after_it() -> None:
    """It cleared in time; that the news was late costs nothing."""
    play = TournamentPlay().started(4)
    play.wait(3_602)
    play.report(0, [scored(4, cleared=True), scored(3), scored(2), scored(1)], ended=3_599)

    assert list(play.points.values()) == [40, 20, 10, 0]
    assert play.shaped(Finished).finished_at == after(3_600)


def test_in_a_break_the_end_needs_no_report() -> None:
    """Closing and final standing are one step."""
    play = TournamentPlay().started(4)
    play.wait(3_592)
    play.report_all(EVERYBODY)
    assert play.shaped(Break).next_at == after(3_602)

    assert kinds(play.wait(3_600)) == ["TournamentClosing", "TournamentFinished", "PrizesAwarded"]
    assert play.shaped(Finished).reason is Ending.TIME


def test_each_end_is_at_its_own_time_and_never_before() -> None:
    """O10: of ten tournaments none is ended by the deadline of another."""
    plays = [TournamentPlay(replace(TERMS, duration=TERMS.duration * n / 7)).started(4) for n in range(1, 11)]
    for play in plays:
        assert isinstance(play.state, Playing)
        end = (play.state.field.plan.ends_at - after(0)).total_seconds()
        assert play.wait(end - 0.000_001) == []
        assert play.wait(end) == [TournamentClosing(Ending.TIME, None, play.now)]


def test_a_start_and_an_end_that_were_missed_are_caught_up_in_order() -> None:
    """Nobody could play: nobody has TP, nobody is paid."""
    play = TournamentPlay()
    play.wait(-100)
    play.register(1, 2, 3)

    assert kinds(play.wait(300_000)) == ["TournamentStarted", "RoundSeated", "TournamentClosing"]
    assert [event.occurred_at for event in play.events[-3:]] == [after(0), after(0), after(3_600)]
    play.report_all({}, cut=True)
    assert play.shaped(Finished).reason is Ending.TIME
    assert play.paid == {}


def test_with_one_player_left_it_ends_at_once_standing_as_it_is() -> None:
    """In a break there is nothing to wait for."""
    play = TournamentPlay().started(3)
    play.wait(50)
    play.report_all(EVERYBODY)
    play.withdraw(1)
    decided = play.withdraw(2)

    assert kinds(decided) == ["PlayerWithdrew", "TournamentClosing", "TournamentFinished", "PrizesAwarded"]
    assert play.shaped(Finished).reason is Ending.ONE_LEFT
    assert list(play.points) == [1, 2, 3]
    assert play.paid == {1: [MONDAY], 2: [TERMS.prizes[1]]}


def test_with_one_player_left_the_running_round_is_cut_and_counts() -> None:
    """It counts as it stands."""
    play = TournamentPlay().started(2)
    play.wait(50)
    assert kinds(play.withdraw(2)) == ["PlayerWithdrew", "TournamentClosing"]
    play.report_all({1: scored(3), 2: scored(5)}, cut=True)

    assert play.points == {2: 10, 1: 0}
    assert play.paid == {2: [MONDAY]}


def test_two_of_two_who_do_not_show_up_twice_end_it() -> None:
    """With nobody left as with one."""
    play = TournamentPlay(replace(TERMS, rounds=(1,) * 4)).started(2)
    for second in (60, 120):
        play.report_all({})
        play.wait(second)

    assert play.shaped(Finished).reason is Ending.ONE_LEFT
    assert len(play.round.tables) == 1
    assert play.round.number == 2


def test_after_the_last_round_it_is_the_rounds_that_are_over() -> None:
    """Whoever has withdrawn by then."""
    play = TournamentPlay(ONE_ROUND).started(3)
    play.withdraw(1)
    play.report_all(EVERYBODY)

    assert play.shaped(Finished).reason is Ending.ROUNDS


def test_a_player_without_tp_gets_no_prize_and_no_cup() -> None:
    """Nor does anybody move up into that place."""
    play = TournamentPlay(ONE_ROUND).started(2)
    play.report_all({1: scored(5), 2: scored(1)})
    nobody = TournamentPlay(ONE_ROUND).started(4)
    nobody.report_all({player: scored(0) for player in range(1, 5)})

    assert play.paid == {1: [MONDAY]}
    assert nobody.paid == {}
    assert isinstance(nobody.state, Finished)


def test_a_withdrawn_player_may_get_a_prize() -> None:
    """TP and place stay."""
    play = TournamentPlay(replace(TERMS, rounds=(6, 1))).started(4)
    play.report_all(EVERYBODY)
    play.withdraw(1)
    play.wait(60)
    play.report_all(EVERYBODY)

    assert play.paid[1] == [MONDAY]


def test_equal_tp_are_placed_by_registration_and_share_no_prize() -> None:
    """Every place has one player."""
    play = TournamentPlay(ONE_ROUND).started(4)
    play.report_all({player: scored(7) for player in range(1, 5)})

    assert list(play.points.values()) == [15, 15, 15, 15]
    assert play.paid == {n: [TERMS.prizes[n - 1]] for n in (1, 2, 3)}


def test_the_winner_of_champions_gets_one_champions_cup_in_place_of_the_ordinary_one() -> None:
    """For each win one; nobody else gets it."""
    terms = replace(CHAMPIONS, rounds=(1,))
    for _ in range(2):
        play = TournamentPlay(terms, weekly=lambda _: 200).started(16)
        play.wait(60)
        play.report_all(EVERYBODY)
        cups = {player: prize.cup for player, prizes in play.paid.items() for prize in prizes if prize.cup}
        assert cups == {next(iter(play.points)): "champions"}


def test_a_prize_of_nothing_is_not_paid() -> None:
    """A place may bring none."""
    play = TournamentPlay(replace(ONE_ROUND, prizes=(MONDAY, Prize(), Prize(5)))).started(4)
    play.report_all(EVERYBODY)

    assert play.paid == {1: [MONDAY], 3: [Prize(5)]}
