"""What operators lay down for a tournament, in options and in files."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from libs.cli.tournaments.laid_down import (
    SERIES,
    START,
    TERMS,
    LaidDownError,
    day_from,
    multipliers_of,
    prize_of,
    read_file,
    start_from,
    terms_from,
)
from libs.client.tournament_views import TournamentKind, TournamentPrize, TournamentTimes

TOML = """
title = "Monday Rivals"
start = 2026-12-07T20:00:00
duration_s = 3600
minimum = 4
maximum = 64
multipliers = [1, 1, 2]
pause_s = 5.5
prizes = [{points = 100, jokers = 2, cup = "monday"}, {points = 50}]
"""
VALUES: dict[str, Any] = {
    "title": "Monday Rivals",
    "duration_s": 60,
    "minimum": 2,
    "maximum": 8,
    "multipliers": (1,),
    "prizes": ["100,2,monday", "50"],
}


def test_a_file_lays_down_a_tournament(tmp_path: Path) -> None:
    """Spans in seconds; what is left out is as in all tournaments."""
    file = tmp_path / "monday.toml"
    file.write_text(TOML, encoding="utf-8")

    values = read_file(file, TERMS | START)
    terms = terms_from(values)

    assert start_from(values["start"]) == datetime(2026, 12, 7, 18, tzinfo=UTC)
    assert (terms.title, terms.duration, terms.minimum, terms.maximum) == (
        "Monday Rivals",
        timedelta(hours=1),
        4,
        64,
    )
    assert terms.prizes == (TournamentPrize(100, 2, "monday"), TournamentPrize(50))
    assert terms.multipliers == (1, 1, 2)
    assert (terms.kind, terms.weekly_prize_points) == (TournamentKind.ORDINARY, 0)
    assert terms.times == TournamentTimes(pause=timedelta(seconds=5.5))


def test_json_says_the_same_as_toml(tmp_path: Path) -> None:
    """By the ending of the file's name."""
    file = tmp_path / "daily.json"
    file.write_text('{"first_day": "2026-12-01", "clock": "20:00", "recurrence": "FREQ=DAILY"}', "utf-8")

    values = read_file(file, TERMS | SERIES)

    assert day_from(values["first_day"]) == date(2026, 12, 1)
    assert values["recurrence"] == "FREQ=DAILY"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.toml", 'colour = "red"', "there is no colour"),
        ("a.toml", "title = ", "a.toml"),
        ("a.json", "[1]", "no table"),
        ("none.toml", None, "none.toml"),
    ],
)
def test_a_file_that_lays_nothing_down_says_why(
    tmp_path: Path, name: str, text: str | None, said: str
) -> None:
    """In words for people."""
    if text is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")

    with pytest.raises(LaidDownError, match=said):
        read_file(tmp_path / name, TERMS | START)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"prizes": []}, "needs prizes"),
        ({"title": ""}, "needs title"),
        ({"kind": "royal"}, "royal"),
        ({"minimum": "few"}, "few"),
        ({"prizes": ["1,2,monday,4"]}, "points, jokers and a cup"),
        ({"prizes": [{"gold": 1}]}, "gold"),
    ],
)
def test_values_that_lay_nothing_down_say_why(changed: dict[str, Any], said: str) -> None:
    """Which of them it is."""
    with pytest.raises(LaidDownError, match=said):
        terms_from(VALUES | changed)


def test_options_are_short_words() -> None:
    """Prizes by place, rounds by their multipliers."""
    assert terms_from(VALUES).prizes == (TournamentPrize(100, 2, "monday"), TournamentPrize(50))
    assert prize_of("0,3") == TournamentPrize(0, 3)
    assert prize_of(",,monday") == TournamentPrize(cup="monday")
    assert multipliers_of("1, 2,6") == (1, 2, 6)
    with pytest.raises(LaidDownError, match="1,1,2"):
        multipliers_of("one")


@pytest.mark.parametrize(
    ("told", "start"),
    [
        ("2026-12-07T20:00", datetime(2026, 12, 7, 18, tzinfo=UTC)),
        ("2026-07-07T20:00", datetime(2026, 7, 7, 17, tzinfo=UTC)),
        ("2026-12-07T20:00:05+00:00", datetime(2026, 12, 7, 20, 0, 5, tzinfo=UTC)),
        ("2027-03-28T03:30", datetime(2027, 3, 28, 1, tzinfo=UTC)),
        ("2026-10-25T03:30", datetime(2026, 10, 25, 0, 30, tzinfo=UTC)),
    ],
)
def test_a_start_without_an_offset_is_romanian_time(told: str, start: datetime) -> None:
    """In the missing hour the first instant after it, in the doubled one the first."""
    assert start_from(told) == start


@pytest.mark.parametrize("told", ["tomorrow", "2026-12-07T20:00:05"])
def test_a_start_that_is_none_is_refused(told: str) -> None:
    """Romanian time has whole minutes."""
    with pytest.raises(LaidDownError):
        start_from(told)
