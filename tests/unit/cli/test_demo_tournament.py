"""What a demo recomputes of a tournament, from what clients are shown: TP, standing, prizes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libs.cli.demo.tournament_points import differing_points, differing_prizes, differing_seats, points_at
from libs.client.rounds import SeatResult
from libs.client.tournament_views import TournamentLine, TournamentPrize, TournamentSeat, TournamentTable

PRIZES = (TournamentPrize(100, 2, "demo"), TournamentPrize(50), TournamentPrize())


def seat(
    player: str, score: int, points: int = 0, *, cleared: bool = False, acted: bool = True
) -> TournamentSeat:
    """A seat of a table that is over."""
    return TournamentSeat(player, 1, score, cleared, acted, points, voided=False)


def line(place: int, player: str, points: int, prize: TournamentPrize | None = None) -> TournamentLine:
    """A line of the standing."""
    return TournamentLine(place, player, points, withdrawn=False, dropped=False, prize=prize)


TABLE = TournamentTable(
    0,
    "matches/1",
    (seat("a", 900, 80, cleared=True), seat("b", 950, 40), seat("c", 10, 10), seat("d", 10, 10)),
    over=True,
    cut=False,
)
LINES = (line(1, "a", 80, PRIZES[0]), line(2, "b", 40, PRIZES[1]), line(3, "c", 10), line(4, "d", 10))


@pytest.mark.parametrize(
    ("seats", "multiplier", "points"),
    [
        (TABLE.seats, 2, [80, 40, 10, 10]),
        ([seat("a", 5), seat("b", 4), seat("c", 3), seat("d", 2)], 1, [30, 20, 10, 0]),
        ([seat("a", 5), seat("b", 5), seat("c", 5)], 3, [33, 33, 33]),
        ([seat("a", 5, cleared=True), seat("b", 9), seat("c", 3)], 1, [30, 15, 0]),
        ([seat("a", 5), seat("b", 4)], 6, [60, 0]),
        ([seat("a", 5, cleared=True), seat("b", 4)], 1, [20, 0]),
        ([seat("a", 0), seat("b", 0)], 6, [0, 0]),
        ([seat("a", 5), seat("b", 0, acted=False), seat("c", 0)], 1, [20, 0, 7]),
        ([replace(seat("a", 5), voided=True), seat("b", 4)], 1, [0, 0]),
    ],
)
def test_a_table_is_worth_what_the_rules_say(
    seats: list[TournamentSeat], multiplier: int, points: list[int]
) -> None:
    """Cleared or not, ties rounded down before the multiplier, nothing for who stayed away."""
    assert list(points_at(seats, multiplier).values()) == points


def test_a_tournament_that_is_right_differs_in_nothing() -> None:
    """Points, prizes, and the seats as the bots saw them."""
    seen = {("matches/1", "a"): SeatResult("a", 1, 900, cleared=True, points=0)}

    assert differing_points([(2, [TABLE])], LINES) == []
    assert differing_prizes(LINES, PRIZES) == []
    assert differing_seats(seen, [(2, [TABLE])]) == []


def test_points_that_differ_are_told() -> None:
    """At the table, in the standing, in its order; a table that is not over too."""
    first, *others = TABLE.seats
    wrong = replace(TABLE, seats=(replace(first, points=70), *others))

    assert any("a has 70" in said for said in differing_points([(2, [wrong])], LINES))
    assert any(
        "a has 90" in said for said in differing_points([(2, [TABLE])], [line(1, "a", 90), *LINES[1:]])
    )
    assert any("order" in said for said in differing_points([(2, [TABLE])], LINES[::-1]))
    assert any("not over" in said for said in differing_points([(2, [replace(TABLE, over=False)])], LINES))
    assert any("d has 0" in said for said in differing_points([(2, [TABLE])], LINES[:-1]))


def test_prizes_that_differ_are_told() -> None:
    """Of the wrong place, missing, or for nothing."""
    first, second, third, fourth = LINES

    assert len(differing_prizes([replace(first, prize=None), second, third, fourth], PRIZES)) == 1
    assert len(differing_prizes([first, replace(second, prize=PRIZES[0]), third, fourth], PRIZES)) == 1
    assert len(differing_prizes([first, second, replace(third, prize=PRIZES[1]), fourth], PRIZES)) == 1
    assert len(differing_prizes([line(1, "a", 0, PRIZES[0])], PRIZES)) == 1
    assert len(differing_prizes([replace(first, place=2)], PRIZES)) == 1


def test_a_seat_that_a_bot_saw_end_otherwise_is_told() -> None:
    """Another score, or a match that is told nowhere."""
    other = {("matches/1", "a"): SeatResult("a", 1, 901, cleared=True, points=0)}
    nowhere = {("matches/2", "a"): SeatResult("a", 1, 900, cleared=True, points=0)}

    assert len(differing_seats(other, [(2, [TABLE])])) == 1
    assert len(differing_seats(nowhere, [(2, [TABLE])])) == 1
