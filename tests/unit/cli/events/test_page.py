"""The page for analysts: its questions have the answers that it prints."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

import libs.cli.events
from libs.cli.events.answers import ask, show_table
from libs.cli.events.database import open_database

PAGE = Path(libs.cli.events.__path__[0]) / "README.md"
QUESTION = re.compile(r"^```sql\n(.*?)^```\n\n^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def questions() -> list[tuple[str, str]]:
    """SQL and printed answer of every question of the page."""
    return [(found[1], found[2]) for found in QUESTION.finditer(PAGE.read_text(encoding="utf-8"))]


def test_the_page_has_five_questions() -> None:
    """Each of them stands there with its answer."""
    assert len(questions()) == 5


@pytest.mark.parametrize(("sql", "printed"), questions(), ids=range(1, 6))
def test_a_question_of_the_page_has_the_printed_answer(exported: Path, sql: str, printed: str) -> None:
    """To the letter, whichever format the export has."""
    with open_database(exported) as database:
        answered = as_text(database, sql)

    assert answered == printed


def as_text(database: object, sql: str) -> str:
    """The table as a terminal of 100 columns shows it, without blanks at the ends."""
    out = io.StringIO()
    show_table(ask(database, sql), 100, Console(file=out, width=100, highlight=False))  # type: ignore[arg-type]
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    return "".join(f"{line}\n" for line in lines if line)
