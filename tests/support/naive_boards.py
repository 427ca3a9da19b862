"""Boards recomputed from all results for every question, by the zone's civil calendar; the fold beside it.

`compare` is the property that the mutants of tests/property/ledger/test_mutants.py must break.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any, Final
from zoneinfo import ZoneInfo

from services.ledger.assets import HOUSE_POINTS, Asset
from services.ledger.domain.boards import Boards
from services.ledger.domain.calendar import ledger_day
from services.ledger.domain.days import days_to_close
from services.ledger.domain.ranks import listed
from services.ledger.domain.windows import WINDOWED, Family, sheet_on
from services.ledger.events import LedgerDayClosed, TransferPosted

BUCHAREST: Final = ZoneInfo("Europe/Bucharest")
REASONS: Final = {Family.POINTS: "ARENA", Family.MCR: "MCR", Family.MCR_AI: "MCR_AI"}

Rows = list[tuple[int, str, int]]
Known = dict[tuple[Family, date], Counter[str]]
"""What became known so far, by the civil day of its instant."""
NOBODY: Final[Counter[str]] = Counter()


@dataclass(frozen=True)
class Result:
    """Points of one player, and when they became known."""

    account: str
    points: int
    occurred_at: datetime
    posted_at: datetime
    family: Family = Family.POINTS


@dataclass(frozen=True)
class Question:
    """An instant at which all boards are asked for."""

    as_of: datetime


def compare(steps: Iterable[Result | Question]) -> Boards:
    """Fold results as they come; at each question close what is due, twice, and hold all boards to the model.

    Steps rise in time. Days are closed no earlier: a result may come before the midnight that it follows.
    """
    boards, seq = Boards(), 0
    known: Known = {}
    for step in steps:
        if isinstance(step, Result):
            day_known = known.setdefault((step.family, civil(step.occurred_at)), Counter())
            day_known[step.account] += step.points
            seq += 1
            boards.fold(seq, fact_of(step))
            continue
        for day in list(days_to_close(boards.as_of_day, step.as_of)):
            for _ in range(2):  # two processes that close the same midnight
                seq += 1
                boards.fold(seq, LedgerDayClosed(day))
        assert shown(boards) == naive(known, step.as_of), f"as of {step.as_of.isoformat()}"
    return boards


def fact_of(result: Result) -> TransferPosted:
    """Return a result as the ledger keeps it."""
    sides = (HOUSE_POINTS, f"players/{result.account}")
    debit, credit = sides if result.points > 0 else sides[::-1]
    day, reason = ledger_day(result.occurred_at), REASONS[result.family]
    return TransferPosted(
        "", Asset.POINTS, debit, credit, abs(result.points), reason, result.occurred_at, day, "", ""
    )


def shown(boards: Boards) -> list[Rows]:
    """Return all windowed boards as they are listed."""
    day = boards.as_of_day
    assert day is not None, "a question closes yesterday first"
    return [
        [(entry.rank, entry.account, entry.points) for entry in listed(boards.sheets.get(sheet, {}))]
        for family in WINDOWED.values()
        for sheet in (sheet_on(board, day) for board in family)
    ]


def naive(known: Known, as_of: datetime) -> list[Rows]:
    """Return year, week and day of each family, added up anew from the civil days of their windows."""
    today = civil(as_of)
    weekday = today.isocalendar().weekday  # 1 is Monday
    answers: list[Rows] = []
    for family in WINDOWED:
        for backwards in (range(365), range(weekday - 7, weekday), range(1)):
            sums: Counter[str] = Counter()
            for back in backwards:
                for account, points in known.get((family, today - timedelta(days=back)), NOBODY).items():
                    sums[account] += points
            answers.append(ranked(sums))
    return answers


def ranked(sums: Counter[str]) -> Rows:
    """Return rows by points falling, then account, with ranks 1, 2, 2, 4."""
    rows = sorted(((account, points) for account, points in sums.items() if points), key=_falling)
    higher = [points for _, points in rows]
    return [(1 + higher.index(points), account, points) for account, points in rows]


@lru_cache(maxsize=1 << 16)
def civil(instant: datetime) -> date:
    """Return the date that the clocks of Bucharest show."""
    return instant.astimezone(BUCHAREST).date()


def midnight(day: date) -> datetime:
    """Return the instant at which a civil day begins, by the zone."""
    return datetime.combine(day, datetime.min.time(), BUCHAREST).astimezone(UTC)


def around_midnights(first: date, last: date) -> Iterator[Result | Question]:
    """Yield results 1 h, 1 s and 1 µs before and after each midnight and at it, and questions around it.

    Some come late, some are taken back, four players tie, one wins and loses a lot.
    """
    distances = (timedelta(hours=1), timedelta(seconds=1), timedelta(microseconds=1))
    late: list[Result] = []
    for number in range((last - first).days + 1):
        at = midnight(first + timedelta(days=number))
        before = [at - distance for distance in distances]
        after = [at + distance for distance in reversed(distances)]
        for instant in before:
            yield _result(number, instant, instant)
        yield Question(before[-1])
        yield _result(number + 1, at, at)
        yield from late
        late = [_result(number + 2, before[-1], after[-1])] if number % 3 == 0 else []
        yield Question(at)
        for instant in after:
            yield _result(number + 3, instant, instant)
        if number % 5 == 0:
            yield Result("eve", 10**12 * (-1) ** (number // 5), at, after[-1])


def _result(number: int, occurred_at: datetime, posted_at: datetime) -> Result:
    """Return a result of one of four players who all earn alike, in an order that is not theirs."""
    account = ("dan", "bob", "ana", "cora")[number % 4]
    family = {0: Family.MCR, 3: Family.MCR_AI}.get(number % 7, Family.POINTS)
    points = -8 if family is not Family.POINTS and number % 2 else 20
    return Result(account, points, occurred_at, posted_at, family)


def _falling(row: tuple[str, Any]) -> tuple[int, str]:
    return -row[1], row[0]
