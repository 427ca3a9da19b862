"""Reading the boards: pages that stay as of their first page, one player's places. One snapshot an answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from services.ledger.domain.ranks import COARSE_MASK, COARSE_SHIFT, Entry, Place, coarse, coarse_end, number
from services.ledger.domain.windows import Board, Window, sheet_on, window_on
from services.ledger.projections.effects import BOARD_CODE
from services.ledger.projections.tables import BoardsHead, BoardTables, active

TOP: Final = """
    SELECT account, points FROM @row WHERE board = :board AND day = :day
    ORDER BY points DESC, account LIMIT :limit
"""
FROM_ROW: Final = """
    SELECT account, points FROM @row
    WHERE board = :board AND day = :day AND points <= :points
      AND (points < :points OR account >= CAST(:account AS uuid))
    ORDER BY points DESC, account LIMIT :limit
"""
BEFORE_ROW: Final = """
    SELECT account, points FROM @row
    WHERE board = :board AND day = :day AND points >= :points
      AND (points > :points OR account < CAST(:account AS uuid))
    ORDER BY points, account DESC LIMIT :limit
"""
AFTER_ROW_AS_OF: Final = """
    WITH undone AS (
        SELECT DISTINCT ON (account) account, old_points AS points FROM @change
        WHERE board = :board AND day = :day AND seq > :seq ORDER BY account, seq
    )
    (
        SELECT account, points FROM @row r
        WHERE board = :board AND day = :day AND points <= :points
          AND (points < :points OR account > CAST(:account AS uuid))
          AND NOT EXISTS (SELECT FROM undone u WHERE u.account = r.account)
        ORDER BY points DESC, account LIMIT :limit
    )
    UNION ALL
    (
        SELECT account, points FROM undone
        WHERE points <> 0 AND points <= :points AND (points < :points OR account > CAST(:account AS uuid))
        ORDER BY points DESC, account LIMIT :limit
    )
    ORDER BY points DESC, account LIMIT :limit
"""
POINTS: Final = """
    SELECT points FROM (
        SELECT * FROM @row WHERE (board, day, account) >= (:board, :day, CAST(:account AS uuid))
        ORDER BY board, day, account LIMIT 1
    ) AS r
    WHERE (board, day, account) = (:board, :day, CAST(:account AS uuid))
"""
RANK: Final = """
    SELECT CAST(1 + coalesce(sum(players), 0) AS bigint) FROM @count
    WHERE board = :board AND day = :day
      AND ((coarse AND bucket > :coarse_bucket)
           OR (NOT coarse AND bucket > :points AND bucket <= :coarse_bucket_end))
"""
TIED_BEFORE: Final = """
    SELECT count(*) FROM @row
    WHERE board = :board AND day = :day AND points = :points AND account < CAST(:account AS uuid)
"""
STANDINGS: Final = f"""
    SELECT r.points, n.players, (
        SELECT CAST(1 + coalesce(sum(k.players), 0) AS bigint) FROM @count k
        WHERE k.board = s.board AND k.day = s.day
          AND ((k.coarse AND k.bucket > r.points >> {COARSE_SHIFT})
               OR (NOT k.coarse AND k.bucket > r.points AND k.bucket <= r.points | {COARSE_MASK}))
    ) AS rank
    FROM unnest(CAST(:boards AS smallint[]), CAST(:days AS date[])) WITH ORDINALITY AS s (board, day, place)
    LEFT JOIN LATERAL (
        SELECT board, day, account, points FROM @row
        WHERE (board, day, account) >= (s.board, s.day, CAST(:account AS uuid))
        ORDER BY board, day, account LIMIT 1
    ) AS r ON (r.board, r.day, r.account) = (s.board, s.day, CAST(:account AS uuid))
    CROSS JOIN LATERAL (
        SELECT CAST(coalesce(sum(players), 0) AS bigint) AS players FROM @count
        WHERE board = s.board AND day = s.day AND coarse
    ) AS n
    ORDER BY s.place
"""  # noqa: S608 our numbers
PLAYERS: Final = """
    SELECT coalesce(sum(players), 0)::bigint FROM @count WHERE board = :board AND day = :day AND coarse
"""


@dataclass(frozen=True, slots=True)
class Listing:
    """What all pages of one listing share: the board as it was when the first page was read."""

    generation: int
    seq: int
    as_of_day: date


@dataclass(frozen=True, slots=True)
class Page:
    """A run of rows."""

    listing: Listing
    window: Window
    places: tuple[Place, ...]
    is_last: bool
    player_count: int  # now


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's row on one board; None when not listed."""

    window: Window
    entry: Entry | None
    player_count: int


@dataclass(frozen=True, slots=True)
class Standings:
    """One player's rows on all three boards, on one day."""

    as_of_day: date
    rows: tuple[Standing, ...]


class BoardsNotOpenError(Exception):
    """No day was closed yet: nothing says which day the boards show."""


class ListingGoneError(Exception):
    """The generation of boards that a listing began on is not the one that answers now."""


class BoardReader:
    """Answers from the active generation; each answer is one snapshot."""

    def __init__(self, database: Database) -> None:
        """Read through the database's engine."""
        self._engine = database.engine.execution_options(isolation_level="REPEATABLE READ")

    async def as_of_day(self) -> date | None:
        """Return the day that the boards show; None before the first closing."""
        with unavailable_is_told():
            async with self._engine.connect() as connection:
                return (await active(connection))[1].as_of_day

    async def first_page(self, board: Board, size: int, anchor: str | None) -> Page:
        """Return the top of a board, or the rows around `anchor` where that account is listed."""
        async with self._open() as view:
            sheet = view.sheet(board)
            places = await _around(view, sheet, size, anchor) if anchor is not None else []
            if not places:
                places = number(await view.rows(TOP, {**sheet, "limit": size + 1}))
            listing = Listing(view.tables.generation, view.head.seq, view.day)
            return await _page(view, board, listing, places, size)

    async def next_page(self, board: Board, listing: Listing, after: Place, size: int) -> Page:
        """Return the rows that followed `after` when the listing began."""
        async with self._open() as view:
            if view.tables.generation != listing.generation:
                raise ListingGoneError
            rows = await view.rows(
                AFTER_ROW_AS_OF,
                {
                    **_parameters(board, listing.as_of_day),
                    "seq": listing.seq,
                    "points": after.entry.points,
                    "account": after.entry.account,
                    "limit": size + 1,
                },
            )
            return await _page(view, board, listing, number(rows, after), size)

    async def standings(self, account: str) -> Standings:
        """Return an account's places on AMR, weekly and daily."""
        async with self._open() as view:
            boards = (Board.AMR, Board.WEEKLY, Board.DAILY)
            sheets = [view.sheet(board) for board in boards]
            wanted = {
                "boards": [sheet["board"] for sheet in sheets],
                "days": [sheet["day"] for sheet in sheets],
                "account": account,
            }
            found = await view.connection.execute(view.tables.sql(STANDINGS), wanted)
            return Standings(
                view.day,
                tuple(
                    Standing(
                        window_on(board, view.day),
                        Entry(row.rank, account, row.points) if row.points is not None else None,
                        row.players,
                    )
                    for board, row in zip(boards, found, strict=True)
                ),
            )

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[_View]:
        with unavailable_is_told():
            async with self._engine.connect() as connection:
                tables, head = await active(connection)
                if head.as_of_day is None:
                    raise BoardsNotOpenError
                yield _View(connection, tables, head, head.as_of_day)


@dataclass(frozen=True, slots=True)
class _View:
    """One snapshot of the active generation."""

    connection: AsyncConnection
    tables: BoardTables
    head: BoardsHead
    day: date

    def sheet(self, board: Board) -> dict[str, Any]:
        return _parameters(board, self.day)

    async def rows(self, template: str, parameters: Mapping[str, Any]) -> list[tuple[str, int]]:
        rows = await self.connection.execute(self.tables.sql(template), parameters)
        return [(str(account), points) for account, points in rows]

    async def scalar(self, template: str, parameters: Mapping[str, Any]) -> int:
        value: int = (await self.connection.execute(self.tables.sql(template), parameters)).scalar_one()
        return value

    async def standing(self, sheet: Mapping[str, Any], account: str) -> Entry | None:
        found = await self.connection.execute(self.tables.sql(POINTS), {**sheet, "account": account})
        points: int | None = found.scalar_one_or_none()
        return Entry(await self.rank(sheet, points), account, points) if points is not None else None

    async def rank(self, sheet: Mapping[str, Any], points: int) -> int:
        buckets = {"coarse_bucket": coarse(points), "coarse_bucket_end": coarse_end(points)}
        return await self.scalar(RANK, {**sheet, **buckets, "points": points})


async def _around(view: _View, sheet: Mapping[str, Any], size: int, anchor: str) -> list[Place]:
    """Return up to size + 1 rows with the anchor in the middle, nearer to an end where there are no more."""
    own = await view.standing(sheet, anchor)
    if own is None:
        return []
    key = {**sheet, "points": own.points, "account": anchor}
    after = await view.rows(FROM_ROW, {**key, "limit": size + 1})
    before = await view.rows(BEFORE_ROW, {**key, "limit": max(size // 2, size - len(after))})
    first_account, first_points = [*reversed(before), *after][0]
    position = own.rank + await view.scalar(TIED_BEFORE, key) - len(before)
    first = Place(position, Entry(await view.rank(sheet, first_points), first_account, first_points))
    return [first, *number([*reversed(before), *after][1 : size + 1], first)]


async def _page(view: _View, board: Board, listing: Listing, places: Sequence[Place], size: int) -> Page:
    return Page(
        listing,
        window_on(board, listing.as_of_day),
        tuple(places[:size]),
        is_last=len(places) <= size,
        player_count=await view.scalar(PLAYERS, _parameters(board, listing.as_of_day)),
    )


def _parameters(board: Board, day: date) -> dict[str, Any]:
    return {"board": BOARD_CODE[board], "day": sheet_on(board, day).day}
