"""Entering and leaving: from 24 h before the start to the start."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from services.tournament.domain.calendar.weeks import week_of
from services.tournament.domain.tournament.commands import Register
from services.tournament.domain.tournament.decide import Unsettled, decide
from services.tournament.domain.tournament.entering import NeedsPrizePoints, PrizePoints
from services.tournament.domain.tournament.events import (
    PlayerRegistered,
    PlayerWithdrew,
    RegistrationOpened,
    TournamentCancelled,
)
from services.tournament.domain.tournament.refusal import Refusal, TooFewPrizePoints
from services.tournament.domain.tournament.state import Cancelled, Playing, Registering
from services.tournament.domain.tournament.words import Cancelling
from tests.support.tournaments import (
    CHAMPIONS,
    START,
    TERMS,
    TournamentPlay,
    account,
    after,
    kinds,
)

DAY = 24 * 3_600


def test_registration_opens_24_hours_before_the_start() -> None:
    """To the microsecond, however late that is noticed."""
    play = TournamentPlay()
    play.now = after(-DAY - 0.000_001)
    assert play.register(1) is Refusal.REGISTRATION_NOT_OPEN

    play.now = after(-DAY)
    assert play.register(1) == [PlayerRegistered(1, account(1), None, after(-DAY))]
    assert play.events[1] == RegistrationOpened(after(-DAY))


def test_registration_closes_at_the_start() -> None:
    """A command that is received at its deadline is too late."""
    play = TournamentPlay()
    play.wait(-1)
    play.register(1, 2)
    play.now = after(-0.000_001)
    assert kinds(play.register(3)) == ["PlayerRegistered"]

    play.now = after(0)
    assert play.register(4) is Refusal.REGISTRATION_CLOSED
    assert isinstance(play.state, Playing)


def test_deadlines_are_settled_before_a_command_is_judged() -> None:
    """Whoever asks for it is told to settle first."""
    play = TournamentPlay()

    assert decide(Register(account(1), after(-DAY)), play.state) == Unsettled()


def test_who_is_in_already_stays_under_the_first_time() -> None:
    """A repeat brings no facts."""
    play = TournamentPlay()
    play.wait(-100)
    play.register(1)
    play.wait(-50)

    assert play.register(1) == []
    assert play.shaped(Registering).field.entrants[1].registered_at == after(-100)


def test_a_full_tournament_refuses_until_somebody_withdraws() -> None:
    """With the reason."""
    play = TournamentPlay(replace(TERMS, maximum=3))
    play.wait(-100)
    play.register(1, 2, 3)
    assert play.register(4) is Refusal.TOURNAMENT_FULL

    play.withdraw(2)
    assert play.register(4) == [PlayerRegistered(4, account(4), None, after(-100))]


def test_withdrawal_before_the_start_is_as_if_never_in() -> None:
    """Coming back takes the new time, and the new place in the order of registration."""
    play = TournamentPlay()
    play.wait(-100)
    play.register(1, 2)
    assert play.withdraw(1) == [PlayerWithdrew(1, account(1), after(-100))]
    assert play.withdraw(1) is Refusal.NOT_REGISTERED

    play.wait(-40)
    play.register(1)
    entrants = play.shaped(Registering).field.entrants
    assert list(entrants) == [2, 3]
    assert entrants[3].registered_at == after(-40)


def test_coming_and_going_has_an_end() -> None:
    """A stream stays within bounds: five registrations an account."""
    play = TournamentPlay()
    play.wait(-100)
    for _ in range(5):
        play.register(1)
        play.withdraw(1)

    assert play.register(1) is Refusal.REGISTRATION_LIMIT
    assert kinds(play.register(2)) == ["PlayerRegistered"]


def test_a_tournament_takes_no_more_than_1024_registrations_in_all() -> None:
    """However many accounts come and go."""
    play = TournamentPlay()
    play.wait(-100)
    for number in range(1_024):
        play.register(number)
        play.withdraw(number)

    assert play.register(2_000) is Refusal.REGISTRATION_LIMIT


def test_too_few_at_the_start_is_cancelled_and_pays_nothing() -> None:
    """One of two; the fact is that of the start, when it is noticed a minute later too."""
    play = TournamentPlay()
    play.wait(-100)
    play.register(1)

    assert play.wait(60) == [TournamentCancelled(Cancelling.TOO_FEW, None, after(0))]
    assert play.paid == {}
    play.now = after(61)
    assert play.register(2) is Refusal.TOURNAMENT_CANCELLED
    assert play.withdraw(1) is Refusal.TOURNAMENT_CANCELLED


def test_what_is_scheduled_late_opens_at_once() -> None:
    """Registration is then open for a minute only; the deadline that is past is settled first."""
    play = TournamentPlay(now=after(-60))

    assert play.wait(-60) == [RegistrationOpened(after(-60))]
    assert kinds(play.register(1)) == ["PlayerRegistered"]


@pytest.mark.parametrize(("points", "is_in"), [(0, False), (199, False), (200, True), (5_000, True)])
def test_champions_need_200_prize_points_in_the_current_week(points: int, is_in: bool) -> None:
    """The ledger's answer stands in the fact, or in the refusal."""
    play = TournamentPlay(CHAMPIONS, weekly=lambda _: points)
    play.wait(-100)
    decided = play.register(1)

    if is_in:
        assert decided == [PlayerRegistered(1, account(1), points, after(-100))]
    else:
        assert decided == TooFewPrizePoints(points, 200)


def test_the_week_that_counts_is_that_of_the_registration() -> None:
    """Monday 00:00 in Romania: a Sunday's registration for Monday evening counts the week before."""
    play = TournamentPlay(CHAMPIONS)
    midnight = datetime(2026, 11, 29, 22, tzinfo=UTC)
    play.wait((midnight - START).total_seconds() - 0.001)
    before = decide(Register(account(1), play.now), play.state)
    play.wait((midnight - START).total_seconds())
    then = decide(Register(account(1), play.now), play.state)

    assert before == NeedsPrizePoints(account(1), week_of(midnight - timedelta(seconds=1)))
    assert then == NeedsPrizePoints(account(1), week_of(midnight))
    assert isinstance(then, NeedsPrizePoints)
    assert then.week.monday == date(2026, 11, 30)


def test_an_answer_about_another_player_or_week_is_asked_for_again() -> None:
    """Between question and answer a week may end."""
    play = TournamentPlay(CHAMPIONS)
    play.wait(-100)
    other = PrizePoints(account(2), week_of(play.now), 900)
    stale = PrizePoints(account(1), week_of(play.now - timedelta(days=7)), 900)

    for answer in (other, stale):
        decided = decide(Register(account(1), play.now), play.state, answer)
        assert isinstance(decided, NeedsPrizePoints)


@pytest.mark.parametrize(("players", "takes_place"), [(15, False), (16, True)])
def test_champions_are_sixteen_at_the_start_or_it_is_cancelled(players: int, takes_place: bool) -> None:
    """Registered, not present."""
    play = TournamentPlay(CHAMPIONS, weekly=lambda _: 200).started(players)

    assert isinstance(play.state, Playing if takes_place else Cancelled)
