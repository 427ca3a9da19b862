"""How late a tournament's steps were: opening, start, seatings, and its end where time brought it."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest
from rich.console import Console

from libs.cli.demo.journal import Journal
from libs.cli.demo.player import Pace
from libs.cli.demo.tournament import TournamentPlan, TournamentReport
from libs.cli.demo.tournament_report import document, show
from libs.cli.demo.tournament_verdict import TournamentVerdict
from libs.cli.verify.tournament_lateness import lateness_s, steps_late_s
from libs.eventsourcing.envelope import RecordedEvent
from services.tournament.domain.tournament import events as ev
from services.tournament.domain.tournament.words import Ending
from services.tournament.wire.tournament_codec import TournamentCodec
from tests.support.stored_feeds import NOBODY, Stored
from tests.support.tournaments import TERMS, TOURNAMENT_ID, TournamentPlay, after, scored
from tests.unit.cli.test_tournament_picture import COMING

LATE_MS = (5, 20, 310, 40)


def held() -> list[ev.Event]:
    """Opened, started, seated, closed by the end while a table is played."""
    play = TournamentPlay(replace(TERMS, rounds=(1, 2), duration=timedelta(minutes=2))).started(3)
    play.wait(120)
    play.report_all({1: scored(700), 2: scored(300)}, cut=True)
    return play.events


def recorded(fact: ev.Event, version: int, late: timedelta) -> RecordedEvent:
    """A fact as the feed tells it, taken so much later than it was due."""
    part, type_, schema, data = TournamentCodec().encode(fact)
    at = fact.occurred_at
    return RecordedEvent(TOURNAMENT_ID, version, part, type_, schema, at, at + late, NOBODY, None, 0, data)


def taken(facts: list[ev.Event], late_ms: tuple[int, ...]) -> list[RecordedEvent]:
    """All of them: what the clock brings about late, one after the other, everything else by an hour."""
    waiting = iter(late_ms)
    by_clock = ev.RegistrationOpened | ev.TournamentStarted | ev.RoundSeated | ev.TournamentClosing
    return [
        recorded(
            fact,
            version,
            timedelta(milliseconds=next(waiting)) if isinstance(fact, by_clock) else timedelta(hours=1),
        )
        for version, fact in enumerate(facts, 1)
    ]


def test_what_the_clock_brings_about_is_measured_and_nothing_else() -> None:
    """Players enter and tables end when they do; a closing that no clock brought is none of it."""
    facts = held()
    assert [fact.reason for fact in facts if isinstance(fact, ev.TournamentClosing)] == [Ending.TIME]
    alone = [
        replace(fact, reason=Ending.ONE_LEFT) if isinstance(fact, ev.TournamentClosing) else fact
        for fact in facts
    ]

    assert lateness_s(taken(facts, LATE_MS)) == [ms / 1000 for ms in LATE_MS]
    assert lateness_s(taken(alone, LATE_MS)) == [ms / 1000 for ms in LATE_MS[:-1]]


def test_a_replica_that_is_behind_took_no_step_before_its_time() -> None:
    """By a millisecond, where another one had gone on."""
    assert lateness_s([recorded(ev.RegistrationOpened(after(0)), 1, timedelta(milliseconds=-1))]) == [0.0]


async def test_the_steps_of_one_tournament_are_read_from_the_feed() -> None:
    """Among others; none of one that is not there."""
    feeds, other = Stored(), TournamentPlay().started(4)
    feeds.play(TOURNAMENT_ID, TournamentCodec(), held(), "tournament")
    feeds.play(UUID(int=1), TournamentCodec(), other.events, "tournament")

    assert await steps_late_s(feeds, TOURNAMENT_ID) == (0.0,) * len(LATE_MS)
    assert await steps_late_s(feeds, UUID(int=2)) == ()


@pytest.mark.parametrize(
    ("late_s", "figures", "said"),
    [
        (
            (0.005, 0.02, 0.314),
            (3, 314.0),
            "3 steps by the clock (opening, start, seatings, end), the latest 0.31 s",
        ),
        ((), (0, 0.0), "0 steps by the clock"),
    ],
)
def test_the_verdict_of_a_demo_tells_the_latest_step(
    late_s: tuple[float, ...], figures: tuple[int, float], said: str
) -> None:
    """For people and for programs; a tournament without steps has none."""
    plan = TournamentPlan("here:1", 3, 7, Pace(0, 1), live=False)
    verdict = TournamentVerdict(COMING, (), (), (), late_s, ())
    report = TournamentReport(plan, verdict, {}, Journal(lambda: 0.0), 1.0, 0.5, ())
    out = io.StringIO()
    show(report, Console(file=out, width=200))
    told = document(report)

    assert (told["steps"], told["steps_late_ms"]["max"]) == figures
    assert said in out.getvalue()
