"""The order in which files of tests run: what waits beside what calculates, and nothing long at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

BEGUN_BY = 0.6
"""The part of the files in the middle after which every one that takes minutes has begun."""


def running_order(allowed_s: Mapping[Path, float]) -> list[Path]:
    """Return the files in order; they are relative to `tests/`, each with the seconds its tests may take.

    End-to-end tests are first, since a process of the tests keeps its installation while they last. Faults
    wait for processes to start and for clocks: they are spread among tests that keep the processor busy,
    the longest first. Tests without servers are last and short.
    """
    first = [file for file in allowed_s if _folder(file) == "e2e"]
    faults = [file for file in allowed_s if _folder(file) == "fault"]
    busy = [file for file in allowed_s if _folder(file) in ("integration", "property")]
    faults.sort(key=lambda file: -allowed_s[file])
    places = _spread(faults, BEGUN_BY) | _spread(busy, 1.0)
    middle = sorted(places, key=lambda file: places[file])
    return [*first, *middle, *(file for file in allowed_s if file not in {*first, *middle})]


def _folder(file: Path) -> str:
    return file.parts[0]


def _spread(files: Iterable[Path], until: float) -> dict[Path, float]:
    """Give every file a place between 0 and `until`, at equal distances."""
    found = list(files)
    return {file: until * number / len(found) for number, file in enumerate(found)}
