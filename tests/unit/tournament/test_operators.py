"""What operators change about a tournament: cancelling it, ending it early, voiding results."""

from __future__ import annotations

from dataclasses import replace

from services.tournament.domain.tournament.commands import CancelTournament, Register, ScheduleTournament
from services.tournament.domain.tournament.decide import decide
from services.tournament.domain.tournament.events import (
    PrizesAwarded,
    PrizesRevoked,
    ResultVoided,
    StandingCorrected,
    TournamentCancelled,
    TournamentClosing,
)
from services.tournament.domain.tournament.evolve import initial
from services.tournament.domain.tournament.refusal import Refusal
from services.tournament.domain.tournament.state import (
    Break,
    Cancelled,
    Finished,
    Scheduled,
)
from services.tournament.domain.tournament.words import Award, Cancelling, Ending, Ground, Line
from tests.support.tournaments import (
    ABSENT,
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


def test_an_operator_cancels_before_the_start_and_a_repeat_changes_nothing() -> None:
    """O11: one terminal fact; there is no fee to give back."""
    play = TournamentPlay()
    play.wait(-100)
    play.register(1, 2)

    assert play.cancel() == [TournamentCancelled(Cancelling.OPERATOR, Ground.FAIR_PLAY, after(-100))]
    assert play.cancel() == []
    assert play.wait(10_000) == []
    assert play.paid == {}


def test_an_operator_cancels_with_results_and_nothing_is_paid() -> None:
    """O11: tables that report later change nothing."""
    play = TournamentPlay().started(8)
    play.wait(60)
    play.report(0, [scored(4), scored(3), scored(2), scored(1)])
    decided = play.cancel()

    assert kinds(decided) == ["TournamentCancelled"]
    assert play.cancel() == []
    assert play.report(1, [scored(1)] * 4) == []
    assert play.end_early() is Refusal.TOURNAMENT_CANCELLED
    assert play.void(1, 0) is Refusal.TOURNAMENT_CANCELLED
    assert play.wait(10_000) == []
    assert (play.paid, type(play.state)) == ({}, Cancelled)


def test_what_is_over_is_not_cancelled() -> None:
    """Prizes are paid; a result that was wrong is voided."""
    assert finished().cancel() is Refusal.TOURNAMENT_OVER


def test_an_operator_ends_it_early_with_prizes_and_a_repeat_changes_nothing() -> None:
    """O11: the end comes now: tables are cut, count as they stand, and prizes are paid."""
    play = TournamentPlay().started(4)
    play.wait(60)
    assert play.end_early() == [TournamentClosing(Ending.OPERATOR, Ground.FAIR_PLAY, after(60))]
    assert play.end_early() == []
    play.wait(61)
    play.report_all(EVERYBODY, cut=True)

    assert play.shaped(Finished).reason is Ending.OPERATOR
    assert play.shaped(Finished).finished_at == after(61)
    assert list(play.paid) == [1, 2, 3]
    assert play.end_early() == []


def test_what_has_not_begun_is_not_ended_early() -> None:
    """It is cancelled."""
    play = TournamentPlay()
    play.wait(-100)

    assert play.end_early() is Refusal.TOURNAMENT_NOT_RUNNING


def test_players_neither_enter_nor_leave_what_is_over() -> None:
    """Nor while tables are counted."""
    play, counting = finished(), TournamentPlay().started(4)
    counting.wait(3_600)

    for each in (play, counting):
        assert each.register(9) is Refusal.TOURNAMENT_OVER
        assert each.withdraw(1) is Refusal.TOURNAMENT_OVER


def test_a_voided_result_brings_no_tp_and_the_others_keep_theirs() -> None:
    """While it runs the live standing is another one at once."""
    play = TournamentPlay().started(4)
    play.wait(60)
    play.report_all(EVERYBODY)

    assert play.void(1, 0, (1,)) == [ResultVoided(1, 0, (1,), Ground.FAIR_PLAY, after(60))]
    assert play.points == {2: 20, 3: 10, 1: 0, 4: 0}
    assert play.void(1, 0, (1,)) == []


def test_a_result_voided_after_the_end_corrects_standing_and_prizes() -> None:
    """O7: what was paid wrongly is taken back under its number, what is due is paid under a new one."""
    play = finished()
    play.wait(90_000)
    decided = play.void(1, 0, (1,))
    first, second, third = TERMS.prizes

    assert decided == [
        ResultVoided(1, 0, (1,), Ground.FAIR_PLAY, after(90_000)),
        StandingCorrected((Line(2, 20), Line(3, 10), Line(1, 0), Line(4, 0)), after(90_000)),
        PrizesRevoked(
            (
                Award(1, 1, 1, account(1), first),
                Award(2, 2, 2, account(2), second),
                Award(3, 3, 3, account(3), third),
            ),
            after(60),
            after(90_000),
        ),
        PrizesAwarded(
            (Award(4, 1, 2, account(2), first), Award(5, 2, 3, account(3), second)), after(60), after(90_000)
        ),
    ]
    assert play.paid == {2: [first], 3: [second]}
    assert [line.player for line in play.shaped(Finished).standing] == list(play.points)
    assert play.void(1, 0, (1,)) == []


def test_a_correction_leaves_prizes_that_stay_where_they_are() -> None:
    """The last of three loses theirs; the first two are not paid again."""
    play = finished()
    decided = play.void(1, 0, (3,))

    assert kinds(decided) == ["ResultVoided", "StandingCorrected", "PrizesRevoked"]
    assert play.paid == {1: [MONDAY], 2: [TERMS.prizes[1]]}


def test_voiding_what_counted_for_nothing_corrects_nothing() -> None:
    """It is on record all the same."""
    play = finished()

    assert kinds(play.void(1, 0, (4,))) == ["ResultVoided"]


def test_a_table_whose_match_never_reports_is_voided_as_a_whole() -> None:
    """So that a tournament never hangs; a result that comes after all does not count."""
    play = TournamentPlay().started(8)
    play.wait(3_600)
    assert play.void(1, 1, play.round.tables[1].table.players[:1]) is Refusal.RESULT_PENDING
    play.void(1, 1)
    play.wait(3_700)
    play.report(0, [scored(4), scored(3), scored(2), scored(1)], ended=3_600, cut=True)

    assert isinstance(play.state, Finished)
    assert play.report(1, [scored(9)] * 4, ended=3_600, cut=True) == []
    assert sorted(play.points.values()) == [0, 0, 0, 0, 0, 10, 20, 30]


def test_a_voided_round_goes_on_to_the_next() -> None:
    """The break counts from when it was voided."""
    play = TournamentPlay().started(4)
    play.wait(400)

    assert kinds(play.void(1, 0)) == ["ResultVoided", "RoundEnded"]
    assert play.shaped(Break).next_at == after(410)


def test_a_voided_result_is_no_missed_round() -> None:
    """It counts for nothing, so not against the player either."""
    play = TournamentPlay(replace(TERMS, rounds=(1,) * 3)).started(3)
    play.report_all(EVERYBODY | {3: ABSENT})
    play.void(1, 0, (3,))
    play.wait(60)
    play.report_all(EVERYBODY | {3: ABSENT})
    play.wait(120)

    assert len(play.seats[0]) == 3


def test_what_is_not_there_cannot_be_voided() -> None:
    """No such round, table or player at it."""
    play = finished(8)
    elsewhere = play.round.tables[1].table.players[:1]

    for round_number, table, players in ((0, 0, None), (2, 0, None), (1, 2, None), (1, -1, None)):
        assert play.void(round_number, table, players) is Refusal.RESULT_UNKNOWN
    assert play.void(1, 0, elsewhere) is Refusal.RESULT_UNKNOWN
    assert play.void(1, 0, ()) is Refusal.RESULT_UNKNOWN


def test_an_unknown_tournament_is_not_found() -> None:
    """Whatever is asked of it; and what is scheduled twice is scheduled once."""
    play = TournamentPlay()
    plan = play.shaped(Scheduled).field.plan

    assert decide(Register(account(1), after(0)), initial()) is Refusal.NOT_FOUND
    assert decide(CancelTournament(Ground.FAULT, after(0)), initial()) is Refusal.NOT_FOUND
    assert play.give(ScheduleTournament(plan, play.now)) == []
