"""A player's year as a picture: rank above, points of each day below; as SVG, and in characters.

The two colours are told apart by every kind of eye (Okabe and Ito), and by place as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape

from libs.client.results import StandingDay

WIDTH, HEIGHT = 960, 480
LEFT, RIGHT = 72, 936
RANK_TOP, RANK_BOTTOM = 84, 244
POINTS_TOP, POINTS_BOTTOM = 284, 436
BAR_MAX: Final = 24
TICKS: Final = 4
WIDE: Final = 50
"""Where the worst rank is so many times the best, the axis of ranks is logarithmic."""
DAYS_NAMED_MAX: Final = 45
"""Up to so many days the axis names days; beyond, months."""
RANK_COLOUR, POINTS_COLOUR, INK, GRID = "#d55e00", "#0072b2", "#333333", "#dddddd"
MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
BLOCKS: Final = "▁▂▃▄▅▆▇█"


def standing_svg(name: str, days: Sequence[StandingDay]) -> str:
    """Return the picture as an SVG document. `name` may be anything: it is escaped."""
    assert days, "a picture shows at least one day"
    total = sum(day.points for day in days)
    ranks = [day.amr_rank for day in days if day.amr_rank is not None]
    facts = f"{days[0].day} to {days[-1].day} · {total:,} points"
    facts += f" · best rank {min(ranks):,}, now {_now(days)}" if ranks else " · not listed on AMR"
    size = f'width="{WIDTH}" height="{HEIGHT}"'
    font = f'font-family="sans-serif" font-size="12" fill="{INK}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {WIDTH} {HEIGHT}" {font}>',
        f'<rect {size} fill="#ffffff"/>',
        f'<text x="{LEFT}" y="30" font-size="18" font-weight="bold">{_shown(name)}</text>',
        f'<text x="{LEFT}" y="50">{facts}</text>',
        *_rank_panel(days, ranks),
        *_points_panel(days),
        *_calendar(days),
        "</svg>",
    ]
    return "\n".join([*parts, ""])


def standing_lines(days: Sequence[StandingDay], columns: int) -> list[str]:
    """Return the picture as lines of characters: points and ranks in so many columns at most."""
    groups = list(_groups(days, columns))
    points = [sum(day.points for day in group) for group in groups]
    ranks = [next((day.amr_rank for day in reversed(group) if day.amr_rank), None) for group in groups]
    most = max(1, *points)
    bars = "".join(_block(each, most) for each in points)
    listed = [rank for rank in ranks if rank is not None]
    best, worst = (min(listed), max(listed)) if listed else (0, 0)
    line = "".join(" " if rank is None else _block(worst - rank + 1, worst - best + 1) for rank in ranks)
    width = len(groups[0])
    a_column = "a column is a day" if width == 1 else f"a column is {width} days"
    return [
        f"points {bars}  up to {most:,}" if max(points) > 0 else f"points {bars}",
        f"rank   {line}  {best:,} … {worst:,}" if listed else "rank   not listed on AMR",
        f"       {days[0].day} … {days[-1].day}, {a_column}; ▼ is less than nothing",
    ]


def _rank_panel(days: Sequence[StandingDay], ranks: Sequence[int]) -> Iterator[str]:
    yield f'<text x="{LEFT}" y="{RANK_TOP - 10}" fill="{RANK_COLOUR}">AMR rank at the end of the day</text>'
    best, worst = min(ranks, default=1), max([2, *ranks])
    is_wide = worst >= WIDE * best
    ticks = (
        _powers(best, worst) if is_wide else sorted({1, *(tick for tick in _ticks(1, worst) if tick >= 1)})
    )

    def place(rank: float) -> float:
        return math.log10(rank) if is_wide else rank

    def height(rank: float) -> float:
        low, high = place(ticks[0]), place(max(worst, ticks[-1]))
        return RANK_TOP + (place(rank) - low) / (high - low) * (RANK_BOTTOM - RANK_TOP)

    for tick in ticks:
        yield from _grid_line(height(tick), f"{tick:,}")
    for run in _runs(days):
        points = " ".join(f"{_middle(index, days):.1f},{height(rank):.1f}" for index, rank in run)
        if len(run) == 1:
            x, y = points.split(",")
            yield f'<circle cx="{x}" cy="{y}" r="3" fill="{RANK_COLOUR}"/>'
        else:
            style = f'fill="none" stroke="{RANK_COLOUR}" stroke-width="2" stroke-linejoin="round"'
            yield f'<polyline points="{points}" {style}/>'
    if not ranks:
        yield _middle_text((RANK_TOP + RANK_BOTTOM) / 2, "not listed in these days")


def _points_panel(days: Sequence[StandingDay]) -> Iterator[str]:
    yield f'<text x="{LEFT}" y="{POINTS_TOP - 10}" fill="{POINTS_COLOUR}">points of the day</text>'
    least, most = min(0, *(day.points for day in days)), max(1, *(day.points for day in days))
    ticks = [tick for tick in _ticks(least, most) if tick == int(tick)]
    low, high = min(least, ticks[0]), max(most, ticks[-1])

    def height(points: float) -> float:
        return POINTS_BOTTOM - (points - low) / (high - low) * (POINTS_BOTTOM - POINTS_TOP)

    for tick in ticks:
        yield from _grid_line(height(tick), f"{tick:,.0f}")
    step = (RIGHT - LEFT) / len(days)
    width = min(BAR_MAX, max(1.0, step * 0.8))
    for index, day in enumerate(days):
        if day.points:
            top, bottom = sorted((height(day.points), height(0)))
            place = f'x="{_middle(index, days) - width / 2:.1f}" y="{top:.1f}"'
            size = f'width="{width:.1f}" height="{max(bottom - top, 1):.1f}"'
            yield f'<rect {place} {size} fill="{POINTS_COLOUR}"/>'
    yield f'<path d="M{LEFT} {height(0):.1f}H{RIGHT}" stroke="{INK}"/>'
    if not any(day.points for day in days):
        yield _middle_text((POINTS_TOP + POINTS_BOTTOM) / 2, "no points in these days")


def _calendar(days: Sequence[StandingDay]) -> Iterator[str]:
    """Name the months, or the days where there are few; a year where it begins."""
    few = len(days) <= DAYS_NAMED_MAX
    every = math.ceil(len(days) / 12) if few else 1
    last = -math.inf
    for index, day in enumerate(days):
        named = index % every == 0 if few else day.day.day == 1 or index == 0
        x = _middle(index, days)
        if not named or x - last < 34:  # room for a name
            continue
        last = x
        label = f"{day.day.day} {MONTHS[day.day.month - 1]}" if few else MONTHS[day.day.month - 1]
        yield f'<path d="M{x:.1f} {POINTS_BOTTOM}v5" stroke="{INK}"/>'
        yield f'<text x="{x:.1f}" y="{POINTS_BOTTOM + 18}" text-anchor="middle">{label}</text>'
        if index == 0 or (day.day.month == 1 and day.day.day <= every):
            year = f'<text x="{x:.1f}" y="{POINTS_BOTTOM + 34}" text-anchor="middle"'
            yield f'{year} font-weight="bold">{day.day.year}</text>'


def _grid_line(y: float, label: str) -> Iterator[str]:
    yield f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="{GRID}"/>'
    yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{label}</text>'


def _middle_text(y: float, text: str) -> str:
    x = (LEFT + RIGHT) / 2
    return f'<text x="{x}" y="{y}" text-anchor="middle" fill="#777777">{text}</text>'


def _middle(index: int, days: Sequence[StandingDay]) -> float:
    return LEFT + (index + 0.5) * (RIGHT - LEFT) / len(days)


def _runs(days: Sequence[StandingDay]) -> Iterator[list[tuple[int, int]]]:
    """Yield the stretches of days with a rank, as (index, rank): the line has a gap between them."""
    run: list[tuple[int, int]] = []
    for index, day in enumerate(days):
        if day.amr_rank is not None:
            run.append((index, day.amr_rank))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _ticks(low: float, high: float) -> list[int]:
    """Return a few round whole numbers that span the range."""
    rough = max((high - low) / TICKS, 1)
    power = 10 ** math.floor(math.log10(rough))
    step = next(int(power * times) for times in (1, 2, 5, 10) if power * times >= rough)
    return list(range(math.floor(low / step) * step, math.ceil(high / step) * step + 1, step))


def _powers(low: int, high: int) -> list[int]:
    """Return the powers of ten that span the range."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return [10**power for power in range(first, last + 1)]


def _groups(days: Sequence[StandingDay], columns: int) -> Iterator[Sequence[StandingDay]]:
    size = math.ceil(len(days) / columns)
    for start in range(0, len(days), size):
        yield days[start : start + size]


def _block(value: int, most: int) -> str:
    if value <= 0:
        return "▼" if value < 0 else " "
    return BLOCKS[min(len(BLOCKS) - 1, (value * len(BLOCKS) - 1) // most)]


def _now(days: Sequence[StandingDay]) -> str:
    rank = days[-1].amr_rank
    return f"{rank:,}" if rank is not None else "not listed"


def _shown(name: str) -> str:
    return escape("".join(character if character.isprintable() else "�" for character in name))
