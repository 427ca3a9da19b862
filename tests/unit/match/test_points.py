"""Points for clearing a level: the paragraph "Single player" of the rules, sentence by sentence."""

from __future__ import annotations

import pytest

from services.match.domain.points import (
    Award,
    Standing,
    award_after,
    first_completion_points,
    time_bonus_points,
)

NEVER = Award()
COMPLETED = Award(first_completion=True)
HAD_FIVE = Award(first_completion=True, top_ten=True)
HAD_TEN = Award(first_completion=True, best_time=True)


def test_the_first_completion_is_worth_10() -> None:
    """First completion of a level: 10 points."""
    assert first_completion_points(Standing(500, NEVER)) == 10


def test_the_first_completion_is_paid_once() -> None:
    """Once per account and level number."""
    assert first_completion_points(Standing(500, award_after(Standing(500, NEVER)))) == 0


def test_place_is_one_plus_the_strictly_better_others() -> None:
    """Nobody better: place 1. Equal times are not better, so they share a place."""
    assert [Standing(n, NEVER).place for n in (0, 1, 9)] == [1, 2, 10]


def test_place_1_is_worth_10() -> None:
    """Place 1 -> 10."""
    assert time_bonus_points(Standing(0, NEVER)) == 10


@pytest.mark.parametrize("place", range(2, 11))
def test_places_2_to_10_are_worth_5(place: int) -> None:
    """Places 2-10 -> 5."""
    assert time_bonus_points(Standing(place - 1, NEVER)) == 5


@pytest.mark.parametrize("place", [11, 12, 10_000])
def test_places_from_11_on_are_worth_nothing(place: int) -> None:
    """Only the first ten places have a bonus."""
    assert time_bonus_points(Standing(place - 1, NEVER)) == 0


def test_the_5_is_paid_once() -> None:
    """Each of the two bonuses once per account and level."""
    assert time_bonus_points(Standing(1, HAD_FIVE)) == 0


def test_the_10_is_paid_once() -> None:
    """Each of the two bonuses once per account and level."""
    assert time_bonus_points(Standing(0, HAD_TEN)) == 0


def test_after_a_5_a_later_10_is_possible() -> None:
    """A better finish later takes place 1."""
    assert time_bonus_points(Standing(0, HAD_FIVE)) == 10


@pytest.mark.parametrize("better", [0, 1, 9, 10])
def test_after_a_10_no_time_bonus_ever_again(better: int) -> None:
    """After a 10 no time bonus on that level ever again, not even a 5."""
    assert time_bonus_points(Standing(better, HAD_TEN)) == 0


@pytest.mark.parametrize(("better", "total"), [(0, 20), (1, 15), (9, 15), (10, 10)])
def test_a_first_win_pays_10_15_or_20(better: int, total: int) -> None:
    """First completion and at most one time bonus."""
    standing = Standing(better, NEVER)

    assert first_completion_points(standing) + time_bonus_points(standing) == total


def test_a_time_bonus_needs_no_first_completion() -> None:
    """Replays for a better time are allowed for ever and may still earn the bonus."""
    standing = Standing(0, COMPLETED)

    assert (first_completion_points(standing), time_bonus_points(standing)) == (0, 10)


@pytest.mark.parametrize(
    ("before", "better", "expected"),
    [
        (NEVER, 0, HAD_TEN),
        (NEVER, 4, HAD_FIVE),
        (NEVER, 10, COMPLETED),
        (HAD_FIVE, 0, Award(True, True, True)),
        (HAD_FIVE, 3, HAD_FIVE),
        (HAD_TEN, 3, HAD_TEN),
    ],
)
def test_what_was_paid_is_remembered(before: Award, better: int, expected: Award) -> None:
    """The row after a finish holds exactly what has been paid so far."""
    assert award_after(Standing(better, before)) == expected
