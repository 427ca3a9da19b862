"""What an operator lays down for a tournament: words of options and of TOML or JSON files."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from libs.client.tournament_views import TournamentKind, TournamentPrize, TournamentTerms, TournamentTimes
from libs.rules.romania import first_instant

SPANS: Final = ("registration_s", "pause_s", "round_limit_s")
TERMS: Final = frozenset(
    {"title", "duration_s", "minimum", "maximum", "multipliers", "prizes", "weekly_prize_points", "kind"}
) | set(SPANS)
"""The keys of a file that lay down a tournament."""
START: Final = frozenset({"start"})
SERIES: Final = frozenset({"first_day", "clock", "recurrence"})
_NEEDED: Final = ("title", "duration_s", "minimum", "maximum", "multipliers", "prizes")


class LaidDownError(ValueError):
    """Why a file or an option lays nothing down; the text is for people."""


def read_file(path: Path, keys: frozenset[str]) -> dict[str, Any]:
    """Return the values of a TOML file, or of a JSON file (".json"). Raises LaidDownError."""
    try:
        text = path.read_text(encoding="utf-8")
        told = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise LaidDownError(f"{path}: {error}") from error
    if not isinstance(told, dict):
        raise LaidDownError(f"{path} holds no table of values")
    unknown = sorted(told.keys() - keys)
    if unknown:
        raise LaidDownError(f"{path}: there is no {unknown[0]}; the keys are {', '.join(sorted(keys))}")
    return told


def terms_from(values: Mapping[str, Any]) -> TournamentTerms:
    """Return the terms that values lay down; spans are seconds. Raises LaidDownError.

    Whether there is such a tournament says the service.
    """
    missing = [name for name in _NEEDED if values.get(name) in (None, "", [], ())]
    if missing:
        raise LaidDownError(f"a tournament needs {', '.join(missing)}")
    try:
        spans = {
            name.removesuffix("_s"): timedelta(seconds=float(values[name]))
            for name in SPANS
            if values.get(name) is not None
        }
        return TournamentTerms(
            title=str(values["title"]),
            duration=timedelta(seconds=float(values["duration_s"])),
            minimum=int(values["minimum"]),
            maximum=int(values["maximum"]),
            prizes=tuple(map(prize_of, values["prizes"])),
            multipliers=tuple(map(int, values["multipliers"])),
            weekly_prize_points=int(values.get("weekly_prize_points") or 0),
            kind=TournamentKind(values.get("kind") or TournamentKind.ORDINARY),
            times=TournamentTimes(**spans),
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise LaidDownError(str(error)) from error


def prize_of(words: Any) -> TournamentPrize:
    """Return a prize: of a table {points, jokers, cup}, or of "100", "100,2" or "100,2,monday"."""
    if isinstance(words, Mapping):
        return TournamentPrize(**words)
    said = [each.strip() for each in str(words).split(",")]
    if len(said) > len(fields(TournamentPrize)):
        raise LaidDownError(f"{words}: a prize is points, jokers and a cup")
    points, jokers, cup = (*said, "", "")[:3]
    return TournamentPrize(int(points or 0), int(jokers or 0), cup)


def multipliers_of(words: str) -> tuple[int, ...]:
    """Return the multipliers of the rounds, of "1,1,2"."""
    try:
        return tuple(int(each) for each in words.split(","))
    except ValueError as error:
        raise LaidDownError(f"{words}: rounds are their multipliers, like 1,1,2") from error


def start_from(told: str | datetime) -> datetime:
    """Return an instant: of "2026-12-01T20:00", in Romanian time where no offset is told.

    A time that Romanian clocks do not show on its day is the first that they do; of one that comes twice it
    is the first. Raises LaidDownError.
    """
    try:
        start = told if isinstance(told, datetime) else datetime.fromisoformat(told)
    except ValueError as error:
        raise LaidDownError(f"{told}: a start is like 2026-12-01T20:00") from error
    if start.tzinfo is not None:
        return start.astimezone(UTC)
    if start.second or start.microsecond:
        raise LaidDownError(f"{start}: Romanian time is told in whole minutes")
    return first_instant(start.date(), start.time())


def day_from(told: str | date) -> date:
    """Return a date. Raises LaidDownError."""
    try:
        return told if isinstance(told, date) else date.fromisoformat(told)
    except (TypeError, ValueError) as error:
        raise LaidDownError(f"{told}: a first day is like 2026-12-01") from error
