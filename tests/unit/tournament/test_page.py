"""The page of a tournament: all of it before anybody registers, and what comes next at any time."""

from __future__ import annotations

from dataclasses import replace

from services.tournament.domain.tournament.page import NextRound, Page, StandingRow, Status, page_of
from services.tournament.domain.tournament.state import NotScheduled
from services.tournament.domain.tournament.words import Cancelling, Ending
from tests.support.tournaments import ABSENT, TERMS, TournamentPlay, account, after, scored

TWO_ROUNDS = replace(TERMS, rounds=(2, 5))


def page(play: TournamentPlay) -> Page:
    """What is shown now."""
    assert not isinstance(play.state, NotScheduled)
    return page_of(play.state)


def test_before_anybody_registers_the_page_shows_all_that_is_laid_down() -> None:
    """Terms, the opening as the next thing, and all rounds with their multipliers."""
    shown = page(TournamentPlay(TWO_ROUNDS))

    assert shown.plan.terms == TWO_ROUNDS
    assert (shown.status, shown.registered, shown.next_at) == (Status.SCHEDULED, 0, after(-86_400))
    assert shown.next_rounds == (NextRound(1, 2, after(0)), NextRound(2, 5, None))
    assert shown.standing == ()


def test_the_countdown_goes_from_the_start_to_the_next_round_and_the_end() -> None:
    """Whatever time brings next."""
    play = TournamentPlay(TWO_ROUNDS)
    play.wait(-100)
    play.register(1, 2)
    assert (page(play).status, page(play).registered, page(play).next_at) == (
        Status.REGISTRATION,
        2,
        after(0),
    )

    play.wait(0)
    running = page(play)
    assert (running.status, running.round_number, running.next_at) == (Status.RUNNING, 1, after(3_600))
    assert running.next_rounds == (NextRound(2, 5, None),)

    play.wait(50)
    play.report_all({1: scored(5), 2: scored(3)})
    assert page(play).next_at == after(60)
    assert page(play).next_rounds == (NextRound(2, 5, after(60)),)


def test_the_standing_says_who_is_out() -> None:
    """Withdrawn, or dropped after two misses."""
    play = TournamentPlay(replace(TERMS, rounds=(1,) * 3)).started(5)
    for second in (60, 120):
        play.report_all({player: scored(100 - player) for player in (1, 2, 3)} | {5: ABSENT})
        play.wait(second)
    play.withdraw(1)
    rows = {row.player: row for row in page(play).standing}

    assert [row.place for row in page(play).standing] == [1, 2, 3, 4, 5]
    assert [player for player, row in rows.items() if row.dropped] == [4, 5]
    assert [player for player, row in rows.items() if row.withdrawn] == [1]
    assert rows[2] == StandingRow(rows[2].place, 2, account(2), play.points[2], False, False)


def test_the_end_is_shown_with_its_reason() -> None:
    """Counting until the last table has reported, then finished; or cancelled."""
    play, cancelled = TournamentPlay(TWO_ROUNDS).started(2), TournamentPlay(TWO_ROUNDS).started(1)
    play.wait(3_600)
    assert (page(play).status, page(play).ending, page(play).next_at) == (
        Status.COUNTING,
        Ending.TIME,
        None,
    )
    play.report_all({1: scored(5)}, cut=True)

    assert (page(play).status, page(play).next_rounds) == (Status.FINISHED, ())
    assert (page(cancelled).status, page(cancelled).cancelling) == (Status.CANCELLED, Cancelling.TOO_FEW)
