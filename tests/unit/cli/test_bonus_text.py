"""How the command line tells where a daily bonus stands."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

from libs.cli.bonus import standing_text
from libs.client.results import DailyBonus

UNCLAIMED = DailyBonus(
    streak_day=9,
    claimed=False,
    doubled=False,
    next_points=100,
    next_joker=True,
    doubling_points=0,
    doubling_needs_receipt=False,
    day=date(2026, 3, 29),
    end_time=datetime(2026, 3, 29, 21, tzinfo=UTC),
    time_zone="Europe/Bucharest",
)


def test_an_unclaimed_day_says_what_it_pays() -> None:
    """The day of the streak, points, a joker where one comes, and midnight in Romania."""
    told = standing_text(UNCLAIMED)

    assert "Day 10 in a row pays [bold]100 points and a joker[/]" in told
    assert "today ends at 00:00 EEST" in told


def test_a_claimed_day_says_what_doubling_and_tomorrow_pay() -> None:
    """Doubling only while there is something to double."""
    claimed = replace(UNCLAIMED, streak_day=3, claimed=True, next_points=40, next_joker=False)

    assert "Day 3 is claimed; tomorrow pays [bold]40 points[/]" in standing_text(claimed)
    assert "doubling pays 30 points more" in standing_text(replace(claimed, doubling_points=30))
