"""A line of a file of board questions (tests/data/ledger/FORMAT.md), or what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Final

from libs.cli.line_file import LineFault, is_int, name_of
from services.ledger.domain.calendar import FIRST_DAY, LAST_DAY, day_end, day_start

REVERSAL: Final = "REVERSAL"
NAME_LENGTH_MAX: Final = 200
POINTS_MAX: Final = (1 << 63) - 1
FIRST, END = day_start(date.fromordinal(FIRST_DAY.toordinal() + 1)), day_end(LAST_DAY)


@dataclass(frozen=True, slots=True)
class Row:
    """A transfer of points as the file has it."""

    key: str
    account: str
    points: int
    reason: str
    occurred_at: datetime
    posted_at: datetime
    reverses: str = ""  # for REVERSAL only


@dataclass(frozen=True, slots=True)
class Question:
    """An instant, and how the file writes it."""

    text: str
    as_of: datetime


@dataclass(frozen=True, slots=True)
class Case:
    """Transfers, the first of each key only, in order of posting; and the instants asked about."""

    name: str | int | None  # repeated in the answer
    rows: Mapping[str, Row]
    questions: tuple[Question, ...]


def parse(fields: dict[str, Any]) -> Case:
    """Read a case; fields that ask nothing are passed over. Raises LineFault."""
    rows = [_row(row, f"transfer {at}") for at, row in enumerate(_list(fields, "transfers"), start=1)]
    first: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: row.posted_at):
        first.setdefault(row.key, row)
    for row in first.values():
        _check_reversal(row, first)
    questions = []
    for at, asked in enumerate(_list(fields, "boards"), start=1):
        where = f"board {at}"
        questions.append(Question(_text(asked, "as_of", where), _instant(asked, "as_of", where)))
    return Case(name_of(fields), first, tuple(questions))


def _row(fields: Any, where: str) -> Row:
    points = _field(fields, "points", where)
    if not is_int(points) or not 0 < abs(points) <= POINTS_MAX:
        raise LineFault(f"{where}: points is no whole number of 64 bits other than 0")
    reason = _text(fields, "reason", where)
    return Row(
        key=_text(fields, "id", where),
        account=_text(fields, "account", where),
        points=points,
        reason=reason,
        occurred_at=_instant(fields, "occurred_at", where),
        posted_at=_instant(fields, "posted_at", where),
        reverses=_text(fields, "reverses", where) if reason == REVERSAL else "",
    )


def _check_reversal(row: Row, rows: Mapping[str, Row]) -> None:
    if not row.reverses:
        return
    original = rows.get(row.reverses)
    if original is None or original.reason == REVERSAL:
        raise LineFault(f"{row.key} takes back {row.reverses}, which is no transfer of this case")
    if (original.account, original.points) != (row.account, -row.points):
        raise LineFault(f"{row.key} does not take back exactly what {row.reverses} gave")


def _list(fields: dict[str, Any], name: str) -> list[Any]:
    value = _field(fields, name, "the case")
    if not isinstance(value, list):
        raise LineFault(f"{name} is no list")
    return value


def _field(fields: Any, name: str, where: str) -> Any:
    if not isinstance(fields, dict):
        raise LineFault(f"{where} is no JSON object")
    if name not in fields:
        raise LineFault(f"{where}: {name} is missing")
    return fields[name]


def _text(fields: Any, name: str, where: str) -> str:
    value = _field(fields, name, where)
    if not isinstance(value, str) or not 0 < len(value) <= NAME_LENGTH_MAX:
        raise LineFault(f"{where}: {name} is no text of 1 to {NAME_LENGTH_MAX} characters")
    return value


def _instant(fields: Any, name: str, where: str) -> datetime:
    text = _text(fields, name, where)
    try:
        read = datetime.fromisoformat(text)
        instant = read.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise LineFault(f"{where}: {name} is no instant: {text[:40]!r}") from error
    if read.tzinfo is None:
        raise LineFault(f"{where}: {name} has no offset: {text[:40]!r}")
    if not FIRST <= instant < END:
        raise LineFault(f"{where}: {name} is outside the calendar, {FIRST_DAY} to {LAST_DAY}")
    return instant
