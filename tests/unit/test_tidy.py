"""Habits that no linter of others checks."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINE_MAX, MODULE_MAX, MODULE_MEDIAN_MAX = 110, 400, 130
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}
CLOCKS = {"libs/runtime/systemclock.py"}
CLIENTS = ("libs/client/", "libs/cli/")  # programs of players, on players' clocks
# Put together here, so that this file does not find itself.
MARKERS = re.compile("|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]))
UNFINISHED = re.compile(
    "|".join(["NotImplemented" + "Error", r"mark\.sk" + "ip", r"pytest\.sk" + "ip", "xf" + "ail"])
)
ASKS_THE_TIME = re.compile(r"\b(datetime\.now|datetime\.utcnow|date\.today|time\.time|time\.time_ns)\(")


def files(*endings: str) -> Iterator[Path]:
    """Our own files with these endings: nothing generated, nothing of tools."""
    for top in ("libs", "services", "tests", "protos", "deploy"):
        for path in sorted((ROOT / top).rglob("*")):
            inside = path.relative_to(ROOT).as_posix()
            generated = inside.startswith(("libs/pb", "tests/data/")) or "__pycache__" in inside
            if path.suffix in endings and not generated:
                yield path


def lines_where(pattern: re.Pattern[str], *endings: str) -> list[str]:
    """The places that match, as `file:line`."""
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files(*endings)
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if pattern.search(line)
    ]


def test_no_line_is_too_long_to_read_side_by_side() -> None:
    """Contracts and configuration keep to the length that ruff asks of the source."""
    assert lines_where(re.compile(f".{{{LINE_MAX + 1}}}"), ".proto", ".toml", ".yaml") == []


def test_no_module_is_too_long() -> None:
    """A module of more than 400 lines wants splitting; the median stays small."""
    sizes = {path.relative_to(ROOT): len(path.read_text().splitlines()) for path in files(".py")}

    assert {path: size for path, size in sizes.items() if size > MODULE_MAX} == {}
    assert (
        statistics.median(size for path, size in sizes.items() if path.name != "__init__.py")
        <= MODULE_MEDIAN_MAX
    )


def test_no_python_name_is_vague() -> None:
    """A module is named by the noun it defines, never by a word that could hold anything."""
    names = {path: set(path.relative_to(ROOT).with_suffix("").parts) for path in files(".py")}

    assert [path for path, parts in names.items() if parts & VAGUE_NAMES] == []


def test_nothing_is_left_for_later() -> None:
    """No marker, no placeholder, no test that does not run."""
    assert lines_where(MARKERS, ".py", ".proto", ".md", ".toml", ".yaml", ".sql") == []
    assert lines_where(UNFINISHED, ".py") == []


def test_only_the_clock_asks_for_the_time() -> None:
    """Time is injected: one module asks the system, and clients ask their own machine."""
    askers = [
        place
        for place in lines_where(ASKS_THE_TIME, ".py")
        if not place.startswith((*CLOCKS, *CLIENTS, "tests/"))
    ]

    assert askers == []


@pytest.mark.parametrize("folder", ["protos", "libs", "services", "tests", "deploy"])
def test_every_top_folder_explains_itself(folder: str) -> None:
    """Its README ends with a table of decisions."""
    assert re.search(r"^#+ Decisions", (ROOT / folder / "README.md").read_text(), re.MULTILINE)
