"""Reading the boards as they are: pages that stay as of their first page, and one player's places.

Each answer is one statement, so one snapshot. Statements are made for the generation and day that were shown
last, and made again where the answer says that it is another by now.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, TypeAlias, cast

import asyncpg

from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from services.ledger.domain.ranks import Entry, Place, Run, number
from services.ledger.domain.windows import Board, Window, sheet_on, window_on
from services.ledger.projections.batching import Batched, Shared
from services.ledger.projections.effects import BOARD_CODE
from services.ledger.projections.statements import AROUND, HEAD, NEXT, STANDINGS, TOP, of_generation

Rows: TypeAlias = "Sequence[asyncpg.Record]"
PAGES_KEPT: Final = 64
TRIES: Final = 5
"""A statement is made again after a midnight or a new generation: never so often in a row."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Where the active generation stands."""

    generation: int
    as_of_day: date
    seq: int  # last fact of the ledger's feed that is in


@dataclass(frozen=True, slots=True)
class Listing:
    """What all pages of one listing share: a board's sheet as it was when the first page was read."""

    generation: int
    seq: int
    day: date  # the day shown, or the one that was asked for


@dataclass(frozen=True, slots=True)
class Page:
    """A run of rows."""

    listing: Listing
    shown_day: date
    window: Window | None  # None: a rating has none
    entries: Sequence[Entry]
    last: Place | None  # of the entries; None where there are none
    is_last: bool
    player_count: int  # now


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's row on one board; None when not listed."""

    board: Board
    window: Window | None
    entry: Entry | None
    player_count: int


@dataclass(frozen=True, slots=True)
class Standings:
    """One player's rows on some boards, in one snapshot."""

    as_of_day: date
    seq: int
    rows: tuple[Standing, ...]


@dataclass(frozen=True, slots=True)
class _Question:
    """Whose row on which boards, and how many rows around it; of a day, or of the one that is shown."""

    boards: tuple[Board, ...]
    day: date | None
    account: str = ""
    size: int = 0


class BoardsNotOpenError(Exception):
    """No day was closed yet: nothing says which day the boards show."""


class ListingGoneError(Exception):
    """The generation of boards that a listing began on is no longer kept."""


class BoardReader:
    """Answers from the active generation."""

    def __init__(self, database: Database) -> None:
        """Read through the database's pool of single calls."""
        self._pool = database.pool
        self._last: Shown | None = None
        self._heads = Shared(self._head)
        self._tops = Batched(self._read_tops)
        self._around = Batched(self._read_around)
        self._standings = Batched(self._read_standings)
        self._pages: dict[_Question, Page] = {}

    async def as_of_day(self) -> date | None:
        """Return the day that the boards show; None before the first closing."""
        with unavailable_is_told():
            row = await self._pool.fetchrow(HEAD)
        assert row is not None, "every schema has an active generation"
        return cast("date | None", row["as_of_day"])

    async def shown(self) -> Shown:
        """Return where the boards stand. Raises BoardsNotOpenError."""
        return await self._heads.ask()

    async def first_page(
        self, board: Board, size: int, anchor: str | None = None, day: date | None = None
    ) -> Page:
        """Return the top of a board, or the rows around `anchor` where that account is listed.

        With a day it is that day's or its week's sheet. Raises BoardsNotOpenError.
        """
        if anchor is not None:
            around = await self._around.ask(_Question((board,), day, anchor, size))
            if around.entries:
                return around
        question = _Question((board,), day, size=size)
        shown = await self.shown()
        kept = self._pages.get(question)
        if kept and (kept.listing.generation, kept.listing.seq) == (shown.generation, shown.seq):
            return kept
        return await self._tops.ask(question)

    async def next_page(self, board: Board, listing: Listing, after: Place, size: int) -> Page:
        """Return the rows that followed `after` when the listing began. Raises ListingGoneError."""
        sheet = _sheet(board, listing.day)
        with unavailable_is_told():
            try:
                row = await self._pool.fetchrow(
                    of_generation(NEXT, listing.generation),
                    *(*sheet, listing.seq, after.entry.points, after.entry.account, size + 1),
                )
            except asyncpg.UndefinedTableError as error:
                raise ListingGoneError from error
        assert row is not None, "every schema has an active generation"
        rows = _pairs(row["accounts"], row["points"])
        return _page(board, listing, _shown(row), number(rows[:size], after), len(rows) <= size, row)

    async def standings(
        self, account: str, boards: Sequence[Board] = tuple(Board), day: date | None = None
    ) -> Standings:
        """Return an account's places on these boards, of a day or now. Raises BoardsNotOpenError."""
        return await self._standings.ask(_Question(tuple(boards), day, account))

    async def fetch(self, template: str, arguments: Callable[[Shown], tuple[Any, ...]]) -> tuple[Shown, Rows]:
        """Return the rows of a statement on what is shown, and what that is. Raises BoardsNotOpenError.

        Each row of the statement begins with the head of the active generation, and there is at least one.
        """
        with unavailable_is_told():
            shown = self._last or await self._head()
            for _ in range(TRIES):
                rows: Rows = ()
                try:
                    statement = of_generation(template, shown.generation)
                    rows = await self._pool.fetch(statement, *arguments(shown))
                except asyncpg.UndefinedTableError:
                    pass  # that generation was dropped
                seen = self._last = _shown(rows[0]) if rows else await self._head()
                if rows and (seen.generation, seen.as_of_day) == (shown.generation, shown.as_of_day):
                    return seen, rows
                shown = seen
        raise AssertionError("the boards moved on during each of several statements")

    async def _head(self) -> Shown:
        with unavailable_is_told():
            row = await self._pool.fetchrow(HEAD)
        assert row is not None, "every schema has an active generation"
        return _shown(row)

    async def _read_tops(self, questions: Sequence[_Question]) -> Sequence[Page]:
        pages: dict[_Question, Page] = {}
        for question in questions:
            if question not in pages:
                pages[question] = await self._read_top(question)
        if len(self._pages) + len(pages) > PAGES_KEPT:
            self._pages.clear()
        self._pages |= pages
        return [pages[question] for question in questions]

    async def _read_top(self, question: _Question) -> Page:
        (board,) = question.boards
        shown, (row,) = await self.fetch(
            TOP, lambda shown: (*_sheet(board, question.day or shown.as_of_day), question.size + 1)
        )
        rows = _pairs(row["accounts"], row["points"])
        run = number(rows[: question.size])
        return _page(board, _listing(shown, question), shown, run, len(rows) <= question.size, row)

    async def _read_around(self, questions: Sequence[_Question]) -> Sequence[Page]:
        def arguments(shown: Shown) -> tuple[Any, ...]:
            sheets = [_sheet(question.boards[0], question.day or shown.as_of_day) for question in questions]
            return (
                [board for board, _ in sheets],
                [day for _, day in sheets],
                [question.account for question in questions],
                [question.size for question in questions],
                len(questions),
            )

        shown, rows = await self.fetch(AROUND, arguments)
        return [
            _page(question.boards[0], _listing(shown, question), shown, *_around(row, question), row)
            for question, row in zip(questions, rows, strict=True)
        ]

    async def _read_standings(self, questions: Sequence[_Question]) -> Sequence[Standings]:
        def arguments(shown: Shown) -> tuple[Any, ...]:
            asked = [
                (*_sheet(board, question.day or shown.as_of_day), question.account)
                for question in questions
                for board in question.boards
            ]
            return (*map(list, zip(*asked, strict=True)), len(asked))

        shown, rows = await self.fetch(STANDINGS, arguments)
        found = iter(rows)
        return [
            Standings(
                shown.as_of_day,
                shown.seq,
                tuple(_standing(board, question, shown, next(found)) for board in question.boards),
            )
            for question in questions
        ]


def window_of(board: Board, day: date) -> Window | None:
    """Return what a board shows on a day; None for a rating, which has no window."""
    return None if board is Board.RACE_RATING else window_on(board, day)


def _shown(row: asyncpg.Record) -> Shown:
    if row["as_of_day"] is None:
        raise BoardsNotOpenError
    return Shown(row["generation"], row["as_of_day"], row["seq"])


def _sheet(board: Board, day: date) -> tuple[int, date]:
    return BOARD_CODE[board], sheet_on(board, day).day


def _listing(shown: Shown, question: _Question) -> Listing:
    return Listing(shown.generation, shown.seq, question.day or shown.as_of_day)


def _pairs(accounts: Sequence[str] | None, points: Sequence[int] | None) -> list[tuple[str, int]]:
    return list(zip(accounts or (), points or (), strict=True))


def _around(row: asyncpg.Record, question: _Question) -> tuple[Run, bool]:
    """Return up to `size` rows with the anchor in the middle, nearer to an end where there are no more.

    And whether the last of them is the last on the board.
    """
    after = _pairs(row["accounts"], row["points"])
    if not after:
        return Run([], None), True
    rows = [*reversed(_pairs(row["accounts_before"], row["points_before"])), *after]
    first = Place(Entry(row["rank"], *rows[0]), row["rank"] + row["tied"], is_tie_counted=True)
    rest = number(rows[1 : question.size], first)
    return Run([first.entry, *rest.entries], rest.last or first), len(rows) <= question.size


def _page(board: Board, listing: Listing, shown: Shown, run: Run, is_last: bool, row: asyncpg.Record) -> Page:
    return Page(
        listing,
        shown.as_of_day,
        window_of(board, listing.day),
        run.entries,
        run.last,
        is_last=is_last,
        player_count=row["players"],
    )


def _standing(board: Board, question: _Question, shown: Shown, row: asyncpg.Record) -> Standing:
    entry = Entry(row["rank"], question.account, row["points"]) if row["points"] is not None else None
    return Standing(board, window_of(board, question.day or shown.as_of_day), entry, row["players"])
