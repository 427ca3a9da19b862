"""One question in SQL, and its answer as a table, JSON or CSV."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar
from uuid import UUID

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from libs.cli.terminal import foreign

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

T = TypeVar("T")

ROWS_AT_ONCE: Final = 1_000
GAP: Final = 3
"""Columns between two columns of a table."""
_NUMBERS = (int, float, Decimal)


class BadQuestion(Exception):
    """The SQL cannot be answered; the text is one line."""


@dataclass(frozen=True)
class Answer:
    """Columns, and the rows as they come."""

    columns: tuple[str, ...]
    rows: Iterator[tuple[Any, ...]]


def ask(database: DuckDBPyConnection, sql: str) -> Answer:
    """Return the answer to one SELECT. Raises BadQuestion, also while its rows are read; Ctrl-C ends it."""
    import duckdb  # open already

    statements = _told(database, lambda: database.extract_statements(sql))
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise BadQuestion("one SELECT is answered, and nothing else")
    found = _told(database, lambda: database.execute(statements[0]))
    names = _distinct([str(column[0]) for column in found.description or ()])
    return Answer(names, _rows(found))


def _rows(database: DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while rows := _told(database, lambda: database.fetchmany(ROWS_AT_ONCE)):
        yield from rows


def _told(database: DuckDBPyConnection, work: Callable[[], T]) -> T:
    """Return what DuckDB answers; what it says against a question is a BadQuestion.

    It works in a thread of its own, so that Ctrl-C ends it at once: DuckDB itself would look for that every
    half a minute.
    """
    import duckdb  # open already

    with ThreadPoolExecutor(1) as thread:
        working = thread.submit(work)
        try:
            return working.result()
        except duckdb.Error as error:
            raise BadQuestion(_one_line(error)) from None
        except KeyboardInterrupt:
            database.interrupt()
            raise


def _one_line(error: Exception) -> str:
    """What DuckDB says, without the picture of the place that follows on an empty line."""
    return " ".join(str(error).split("\n\n", maxsplit=1)[0].split())


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """The names, of equal ones the later with a number."""
    taken: list[str] = []
    for name in names:
        free = (f"{name}_{number}" if number else name for number in range(len(names)))
        taken.append(next(each for each in free if each not in taken))
    return tuple(taken)


def plain(value: Any) -> Any:
    """Return a value of SQL as JSON has it: whole decimals as integers, bytes in hexadecimal.

    What JSON has no number for is text, as protobuf writes it: NaN, Infinity, -Infinity.
    """
    match value:
        case float() if not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case datetime() | date() | time():
            return value.isoformat()
        case bytes():
            return value.hex()
        case UUID() | timedelta():
            return str(value)
        case list() | tuple():
            return [plain(each) for each in value]
        case dict():
            return {str(key): plain(each) for key, each in value.items()}
        case _:
            return value


def shown(value: Any) -> str:
    """Return a value for a cell of a table."""
    if isinstance(value, datetime):
        return str(value)
    match plain(value):
        case None:
            return ""
        case float() as number:
            return f"{number:.6g}"
        case list() | dict() as nested:
            return json.dumps(nested, ensure_ascii=False)
        case other:
            return str(other)


def show_table(answer: Answer, rows_max: int, out: Console) -> None:
    """Print the first rows of an answer: as a table, or one below the other where that is too wide."""
    first = list(islice(answer.rows, rows_max))
    has_more = next(answer.rows, None) is not None
    cells = [[foreign(shown(value)) for value in row] for row in first]
    headings = [foreign(name) for name in answer.columns]
    widths = [max(map(len, column)) for column in zip(headings, *cells, strict=True)]
    if sum(widths) + GAP * len(widths) <= out.width:
        numeric = [any(isinstance(row[at], _NUMBERS) for row in first) for at in range(len(headings))]
        out.print(_table(headings, cells, numeric))
    else:
        for number, row in enumerate(cells, 1):
            out.print(_record(number, headings, row))
    if has_more:
        out.print(f"[dim]… and more than these {rows_max} rows: --rows, --csv or --json shows them[/]")


def _table(headings: list[Text], cells: list[list[Text]], numeric: list[bool]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for name, is_number in zip(headings, numeric, strict=True):
        table.add_column(name, justify="right" if is_number else "left", no_wrap=True)
    for row in cells:
        table.add_row(*row)
    return table


def _record(number: int, headings: list[Text], row: list[Text]) -> Table:
    record = Table(
        box=None, show_header=False, padding=(0, 2, 0, 0), title=f"row {number}", title_justify="left"
    )
    record.add_column(no_wrap=True, style="dim")
    record.add_column(overflow="fold")
    for name, value in zip(headings, row, strict=True):
        record.add_row(name, value)
    return record


def write_json(answer: Answer) -> None:
    """Write an answer as one JSON document, a row a line: a list of objects."""
    out = sys.stdout
    separator = "[\n"
    for row in answer.rows:
        document = dict(zip(answer.columns, map(plain, row), strict=True))
        out.write(f"{separator}  {json.dumps(document, ensure_ascii=False)}")
        separator = ",\n"
    out.write("[]\n" if separator == "[\n" else "\n]\n")


def write_csv(answer: Answer) -> None:
    """Write an answer as CSV with a line of names."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(answer.columns)
    for row in answer.rows:
        values = [plain(value) for value in row]
        writer.writerow([json.dumps(each) if isinstance(each, list | dict) else each for each in values])
