"""A player's year as a picture: well formed, with every day in its place."""

from __future__ import annotations

from datetime import date, timedelta
from xml.etree import ElementTree as ET

import pytest

from libs.cli.boards import movement
from libs.cli.standing_picture import POINTS_COLOUR, RANK_COLOUR, standing_lines, standing_svg
from libs.client.results import BoardEntry, StandingDay

LAST = date(2026, 11, 30)


def days(points: list[int], ranks: list[int | None]) -> list[StandingDay]:
    """Return days up to the last of November."""
    first = LAST - timedelta(days=len(points) - 1)
    return [
        StandingDay(first + timedelta(days=at), each, sum(points[: at + 1]), rank)
        for at, (each, rank) in enumerate(zip(points, ranks, strict=True))
    ]


def drawn(svg: str, kind: str) -> list[ET.Element]:
    """Return the shapes of a kind in a well-formed document."""
    return ET.fromstring(svg).findall(f"{{http://www.w3.org/2000/svg}}{kind}")  # noqa: S314 our own


def bars(svg: str) -> list[tuple[float, float]]:
    """Return top and height of each day's bar."""
    found = [bar for bar in drawn(svg, "rect") if bar.get("fill") == POINTS_COLOUR]
    return [(float(bar.get("y", "")), float(bar.get("height", ""))) for bar in found]


def test_days_without_a_rank_break_the_line_and_rank_1_is_on_top() -> None:
    """Two stretches are two lines, a single day a dot; a better rank is drawn higher."""
    svg = standing_svg("Ana", days([10] * 6, [9, 3, None, 4, None, 1]))
    (line,) = drawn(svg, "polyline")
    heights = [float(point.split(",")[1]) for point in line.get("points", "").split()]
    dots = [float(dot.get("cy", "")) for dot in drawn(svg, "circle") if dot.get("fill") == RANK_COLOUR]

    assert len(dots) == 2
    assert heights[0] > heights[1]  # 9, then 3
    assert dots[0] > dots[1]  # 4, then 1


def test_negative_points_hang_below_the_line_of_nothing() -> None:
    """Bars of equal size up and down are equally long and meet."""
    up, down = bars(standing_svg("Ana", days([50, -50], [None, None])))

    assert up[0] + up[1] == pytest.approx(down[0], abs=0.2)
    assert up[1] == pytest.approx(down[1], abs=0.2)


def test_names_are_data_and_a_whole_year_names_its_months() -> None:
    """Markup in a name is text; 365 days name twelve or thirteen months and two years."""
    svg = standing_svg("<script>&\x1b", days([5] * 365, [7] * 365))
    texts = [text.text or "" for text in drawn(svg, "text")]

    assert texts[0] == "<script>&�"
    assert len([text for text in texts if len(text) == 3 and text.isalpha()]) >= 12
    assert {"2025", "2026"} <= set(texts)


def test_nothing_at_all_says_so() -> None:
    """An empty year has axes and two sentences; in characters it has blank bars."""
    empty = days([0] * 365, [None] * 365)
    texts = {text.text for text in drawn(standing_svg("Ana", empty), "text")}

    assert {"no points in these days", "not listed in these days"} <= texts
    assert standing_lines(empty, 60)[1].endswith("not listed on AMR")


def test_lines_fit_the_columns_and_mark_what_is_less_than_nothing() -> None:
    """365 days in 60 columns; a day of loss is no bar; the best rank is the highest."""
    points, ranks, _ = standing_lines(days([10, -5, 0, 80], [3, 2, None, 1]), 60)
    wide = standing_lines(days([1] * 365, [1] * 365), 60)[0]

    assert points.split("  ")[0] == "points ▁▼ █"
    assert ranks.startswith("rank   ▃▆ █  1 … 3")
    assert len(wide.removeprefix("points ").split("  ")[0]) <= 60


def test_movement_is_told_by_arrows() -> None:
    """Up, down, the same, and new."""
    rows = [BoardEntry(3, "players/a", 5, before) for before in (5, 2, 3, None)]

    assert [str(movement(row)) for row in rows] == ["▲2", "▼1", "=", "new"]


def test_ranks_over_a_wide_range_stand_on_powers_of_ten() -> None:
    """Each step by a factor of ten is equally high, and the powers are named."""
    svg = standing_svg("Ana", days([10] * 3, [10_000, 1_000, 100]))
    (line,) = drawn(svg, "polyline")
    heights = [float(point.split(",")[1]) for point in line.get("points", "").split()]
    labels = [text.text for text in drawn(svg, "text")]

    assert heights[0] - heights[1] == pytest.approx(heights[1] - heights[2], abs=0.2)
    assert {"100", "1,000", "10,000"} <= set(labels)
