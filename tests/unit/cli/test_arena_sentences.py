"""What an arena in the terminal says between its rounds and at its end."""

from __future__ import annotations

from libs.cli.play.round_texts import result_text, standings_text
from libs.client.rounds import Ending, RoundResult, SeatResult, SeatStanding

ANA, BEN, CAT = "players/ana", "players/ben", "players/cat"
NAMES = {BEN: "Ben", CAT: "Cat"}
STANDINGS = (
    SeatStanding(ANA, 1, 700, (300, 400), left=False, points=60),
    SeatStanding(BEN, 1, 700, (700, 0), left=True, points=60),
    SeatStanding(CAT, 3, 100, (0, 100), left=False, points=20),
)


def test_the_standing_so_far_adds_up_the_rounds() -> None:
    """Oneself first among equals; who has left is said; nothing of points."""
    assert standings_text(STANDINGS, ANA, NAMES, is_over=False).splitlines() == [
        "[bold]So far:[/]",
        "1. You: 700 (300 + 400)",
        "1. Ben: 700 (700 + 0) · has left",
        "3. Cat: 100 (0 + 100)",
    ]


def test_the_end_says_what_everybody_gets() -> None:
    """Account points, ties with equal shares."""
    said = standings_text(STANDINGS, CAT, NAMES, is_over=True).splitlines()

    assert said[0] == "[bold]The match:[/]"
    assert said[-1] == "3. You: 100 (0 + 100) · 20 account points"


def test_a_round_of_several_pays_nobody() -> None:
    """Its result tells places and scores."""
    seats = (SeatResult(ANA, 1, 400, cleared=True, points=0), SeatResult(BEN, 2, 0, cleared=False, points=0))
    said = result_text(RoundResult(Ending.CLEARED, seats), ANA, NAMES, is_paid=False)

    assert said.splitlines() == ["[bold]The board was cleared.[/]", "1. You: 400, cleared", "2. Ben: 0"]
