"""Tournaments in the terminal: what is said of each, with the countdown."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from rich.console import Console, RenderableType

from libs.cli.tournaments.documents import document
from libs.cli.tournaments.picture import (
    LiveTournament,
    own_line,
    prize_words,
    status_line,
    tournament_picture,
    tournaments_table,
)
from libs.client.tournament_views import (
    NextRound,
    OwnPart,
    SeenTournament,
    Tournament,
    TournamentCancelling,
    TournamentEnding,
    TournamentLine,
    TournamentPrize,
    TournamentRound,
    TournamentStatus,
    TournamentTerms,
)

START = datetime(2026, 12, 7, 18, tzinfo=UTC)
PRIZES = (TournamentPrize(100, 2, "monday"), TournamentPrize(50, 1), TournamentPrize())
TERMS = TournamentTerms("Monday [red]Rivals", timedelta(hours=1), 4, 64, PRIZES, (1, 1, 2))
OWN = OwnPart(False, False, False, 0, 0, None, None, "", "", None)
COMING = Tournament(
    name="tournaments/7",
    terms=TERMS,
    status=TournamentStatus.REGISTRATION,
    open_time=START - timedelta(days=1),
    start_time=START,
    end_time=START + TERMS.duration,
    series=None,
    registered=12,
    next_time=START,
    round=None,
    next_rounds=(),
    ending=None,
    cancelling=None,
    own=OWN,
)
PLAYED = replace(
    COMING,
    status=TournamentStatus.RUNNING,
    round=TournamentRound(2, 1, 3, 1),
    next_time=COMING.end_time,
    next_rounds=(NextRound(3, 2, None),),
)
LINES = (
    TournamentLine(1, "players/a", 80, False, False, PRIZES[0]),
    TournamentLine(2, "players/b", 40, True, False, None),
    TournamentLine(3, "players/c", 0, False, True, None),
)


def text(shown: RenderableType) -> str:
    """What stands in a terminal of 100 columns."""
    out = Console(width=100, highlight=False)
    with out.capture() as captured:
        out.print(shown)
    return captured.get()


def test_the_countdown_says_what_it_counts_to() -> None:
    """Start, end, next round; never below nothing."""
    next_at = START + timedelta(seconds=100)
    waiting = replace(PLAYED, next_time=next_at, next_rounds=(NextRound(3, 2, next_at),))

    assert status_line(COMING, START - timedelta(seconds=3_725)) == "registration, 1:02:05 until the start"
    assert status_line(COMING, START + timedelta(seconds=1)).endswith("0:00 until the start")
    assert status_line(PLAYED, START) == "round 2 of 3, ×1, 1 of 3 tables over, 1:00:00 left"  # noqa: RUF001
    assert status_line(waiting, START).endswith("1:40 until the next round")


def test_an_end_says_why() -> None:
    """Cancelled or finished."""
    cancelled = replace(COMING, status=TournamentStatus.CANCELLED, cancelling=TournamentCancelling.TOO_FEW)
    finished = replace(PLAYED, status=TournamentStatus.FINISHED, ending=TournamentEnding.TIME, next_time=None)

    assert status_line(cancelled, START) == "cancelled: too few were registered at the start"
    assert status_line(finished, START) == "finished: its time was up"


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (OWN, "You may register."),
        (replace(OWN, entry_refusal="TOURNAMENT_FULL", entry_refusal_text="It is full."), "It is full."),
        (replace(OWN, registered=True, place=2, points=40), "You are in, place 2 with 40 TP."),
        (replace(OWN, registered=True, match="matches/1"), "You are in; your table: matches/1."),
        (replace(OWN, registered=True, withdrawn=True), "You have withdrawn."),
        (replace(OWN, registered=True, dropped=True), "You missed two rounds and are seated no more."),
        (replace(OWN, registered=True, prize=PRIZES[1]), "You are in; your prize: 50 points + 1 joker."),
    ],
)
def test_the_reader_is_told_how_it_stands(own: OwnPart, said: str) -> None:
    """Whether entering is possible, why not, seat, place and prize."""
    assert own_line(own) == said


def test_a_page_shows_all_of_a_tournament() -> None:
    """Also what others wrote, as they wrote it; who has no name is called by the id."""
    page = text(tournament_picture(PLAYED, LINES, {"players/a": "Wren [bold]"}, START))

    for said in (
        "Monday [red]Rivals",
        "12 of 4 to 64",
        "Mon 07 Dec 2026 20:00:00",
        "Wren [bold]",
        "withdrew",
    ):
        assert said in page
    assert "100 points + 2 jokers + the cup monday, 50 points + 1 joker, nothing" in " ".join(page.split())
    assert "players/c" in page
    assert "stayed away" in page
    assert prize_words(TournamentPrize()) == ""


def test_a_list_has_a_line_for_each() -> None:
    """Title, start, players, where it is."""
    over = replace(COMING, status=TournamentStatus.FINISHED)
    listed = text(tournaments_table([COMING, PLAYED, over], START - timedelta(seconds=65)))

    assert listed.count("07 Dec 20:00 ") == listed.count("12/64") == 3
    assert all(f" {said} " in listed for said in ("in 1:05", "round 2/3", "finished"))


def test_a_live_picture_counts_on_between_changes() -> None:
    """With nothing told yet it waits."""
    now = [START - timedelta(seconds=5)]
    view = LiveTournament(lambda: now[0])
    assert "Waiting" in text(view)

    view.seen = SeenTournament(COMING, ())
    assert "0:05 until the start" in text(view)
    now[0] += timedelta(seconds=2)
    assert "0:03 until the start" in text(view)


def test_programs_get_instants_and_spans_plain() -> None:
    """ISO 8601 and seconds."""
    told = document(PLAYED)

    assert told["start_time"] == START.isoformat()
    assert told["terms"]["duration"] == 3_600
    assert told["status"] == "running"
    assert told["terms"]["prizes"][0] == {"points": 100, "jokers": 2, "cup": "monday"}
