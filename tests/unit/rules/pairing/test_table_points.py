"""Tournament points by place, one test per sentence of the rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.rules.pairing.table_points import Refusal, SeatPoints, SeatResult, table_points


def seats(*scores: int, cleared: int | None = None) -> list[SeatResult]:
    """Seats a, b, c, d with these scores; the one at `cleared` cleared its board."""
    return [SeatResult("abcd"[i], i == cleared, score) for i, score in enumerate(scores)]


def points(results: list[SeatResult], multiplier: int = 1) -> list[tuple[str, int, int]]:
    """Player, place and points of every line."""
    outcome = table_points(results, multiplier)
    assert not isinstance(outcome, Refusal)
    return [(line.player, line.place, line.points) for line in outcome]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [((9, 7, 5, 3), [40, 20, 10, 0]), ((9, 7, 5), [30, 15, 0]), ((9, 7), [20, 0])],
)
def test_a_first_place_that_cleared_has_the_full_scale(scores: tuple[int, ...], expected: list[int]) -> None:
    """First place cleared: 4 players 40/20/10/0, 3 players 30/15/0, 2 players 20/0."""
    assert [line[2] for line in points(seats(*scores, cleared=0))] == expected


@pytest.mark.parametrize(
    ("scores", "expected"),
    [((9, 7, 5, 3), [30, 20, 10, 0]), ((9, 7, 5), [20, 15, 0]), ((9, 7), [10, 0])],
)
def test_without_a_clear_the_scale_is_reduced(scores: tuple[int, ...], expected: list[int]) -> None:
    """First place did not clear: 30/20/10/0, 20/15/0, 10/0."""
    assert [line[2] for line in points(seats(*scores))] == expected


def test_who_cleared_comes_first_whatever_the_score() -> None:
    """Placing: cleared first, then round score."""
    assert points(seats(100, 50, 20, cleared=2)) == [("c", 1, 30), ("a", 2, 15), ("b", 3, 0)]


def test_ties_share_a_place_and_the_next_place_is_skipped() -> None:
    """Places are 1, 2, 2, 4; tied seats stand in the order given."""
    assert [line[:2] for line in points(seats(5, 9, 5, 1))] == [("b", 1), ("a", 2), ("c", 2), ("d", 4)]


def test_a_clear_breaks_a_tie_of_scores() -> None:
    """Equal scores do not tie when one of them cleared."""
    assert points(seats(5, 5, cleared=1)) == [("b", 1, 20), ("a", 2, 0)]


def test_ties_share_the_points_of_the_places_they_occupy() -> None:
    """(20 + 10) / 2 = 15 each for second and third of four."""
    assert [line[2] for line in points(seats(9, 5, 5, 1))] == [30, 15, 15, 0]


def test_shares_are_rounded_down_before_the_multiplier() -> None:
    """(20 + 15) / 2 = 17.5: 17 each, times 3 = 51, and not floor(52.5) = 52."""
    assert [line[2] for line in points(seats(5, 5, 1), 3)] == [51, 51, 0]


def test_all_four_may_tie() -> None:
    """(30 + 20 + 10 + 0) / 4 = 15 each, all in first place."""
    assert points(seats(5, 5, 5, 5)) == [(player, 1, 15) for player in "abcd"]


def test_a_table_where_everybody_has_zero_gets_nothing() -> None:
    """If everybody at the table has score 0, nobody gets TP; places remain."""
    assert points(seats(0, 0, 0, cleared=1), 6) == [("b", 1, 0), ("a", 2, 0), ("c", 2, 0)]


@pytest.mark.parametrize("multiplier", range(1, 7))
def test_the_multiplier_applies_to_every_place(multiplier: int) -> None:
    """1 to 6 times."""
    assert [line[2] for line in points(seats(9, 7, 5, 3, cleared=0), multiplier)] == [
        40 * multiplier,
        20 * multiplier,
        10 * multiplier,
        0,
    ]


@pytest.mark.parametrize(
    ("results", "multiplier", "refusal"),
    [
        ([], 1, Refusal.SEATS),
        (seats(1), 1, Refusal.SEATS),
        ([*seats(1, 2, 3, 4), SeatResult("e", False, 5)], 1, Refusal.SEATS),
        ([SeatResult("a", False, 1), SeatResult("a", False, 2)], 1, Refusal.PLAYER_TWICE),
        (seats(1, -1), 1, Refusal.NEGATIVE_SCORE),
        ([SeatResult("a", True, 1), SeatResult("b", True, 2)], 1, Refusal.CLEARED_TWICE),
        (seats(1, 2), 0, Refusal.MULTIPLIER),
        (seats(1, 2), 7, Refusal.MULTIPLIER),
        (seats(1, 2), -1, Refusal.MULTIPLIER),
    ],
)
def test_what_is_no_finished_table_is_refused(
    results: list[SeatResult], multiplier: int, refusal: Refusal
) -> None:
    """2 to 4 seats, each player once, scores of 0 or more, at most one clear, a multiplier from 1 to 6."""
    assert table_points(results, multiplier) is refusal


@given(
    scores=st.lists(st.integers(0, 2**62), min_size=2, max_size=4),
    cleared=st.none() | st.integers(0, 1),
    multiplier=st.integers(1, 6),
)
def test_points_are_never_made_and_fall_with_the_places(
    scores: list[int], cleared: int | None, multiplier: int
) -> None:
    """The table shares at most what its scale holds; a better place never gets less."""
    outcome = table_points(seats(*scores, cleared=cleared), multiplier)

    assert isinstance(outcome, tuple)
    most = {4: 70, 3: 45, 2: 20} if cleared is not None else {4: 60, 3: 35, 2: 10}
    shares = [line.points for line in outcome]
    assert sum(shares) <= most[len(scores)] * multiplier
    assert shares == sorted(shares, reverse=True)
    assert [line.place for line in outcome] == sorted(line.place for line in outcome)
    assert all(isinstance(line, SeatPoints) and line.points >= 0 for line in outcome)
