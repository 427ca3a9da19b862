"""Pages of a club's board: computed whole as of the first page's place in the feed, and kept for a while.

A token names that place and the last row, however many members there are. Whoever has not kept the board, as
another replica or after other boards needed the room, computes it again as it was: changes of rows since then
are undone, and entries behind the place are left out. Who joins meanwhile has no points from before it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Protocol
from uuid import UUID

from sqlalchemy.exc import NoResultFound, ProgrammingError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from libs.eventstore.postgres.errors import unavailable_is_told
from services.ledger.domain.packed import PackedBoard
from services.ledger.domain.windows import Board
from services.ledger.projections.reads import BoardsNotOpenError, ListingGoneError
from services.ledger.projections.tables import BoardTables, active

KEPT_BYTES_MAX: Final = 16 << 20
KEPT_MAX: Final = 256
"""Boards that are kept, however small: a club without points has one for each day asked for."""
UNDEFINED_TABLE: Final = "42P01"


class UnknownClubError(Exception):
    """There is no such club."""


class ClubRows(Protocol):
    """What the boards of clubs are read from."""

    async def rows(
        self, connection: AsyncConnection, tables: BoardTables, club: UUID, board: Board, day: date, seq: int
    ) -> dict[str, int] | None:
        """Return the points of a club's members on what a board shows on `day`; None: unknown club.

        As they were when the generation stood at `seq` of the feed, at most 20 minutes ago.
        """
        ...


@dataclass(frozen=True, slots=True)
class ClubListing:
    """What all pages of one listing share."""

    club: UUID
    board: Board
    generation: int
    seq: int
    day: date

    def token(self) -> dict[str, Any]:
        """Return it as plain values, without what the request says."""
        return {"generation": self.generation, "seq": self.seq, "day": self.day.isoformat()}


class ClubListings:
    """Boards of clubs as of places in the feed."""

    def __init__(self, engine: AsyncEngine, clubs: ClubRows) -> None:
        """Read in snapshots of this engine's."""
        self._engine = engine
        self._clubs = clubs
        self._kept: OrderedDict[ClubListing, PackedBoard] = OrderedDict()

    @property
    def kept_count(self) -> int:
        """How many boards are kept."""
        return len(self._kept)

    async def first(
        self, club: UUID, board: Board, day: date | None
    ) -> tuple[ClubListing, date, PackedBoard]:
        """Return a club's board as it is, and the day that is shown.

        Raises UnknownClubError, BoardsNotOpenError.
        """
        with unavailable_is_told():
            async with self._engine.connect() as connection:
                tables, head = await active(connection)
                if head.as_of_day is None:
                    raise BoardsNotOpenError
                listing = ClubListing(club, board, tables.generation, head.seq, day or head.as_of_day)
                return listing, head.as_of_day, await self._board(connection, tables, listing)

    async def again(self, listing: ClubListing) -> PackedBoard:
        """Return the board of a listing that began. Raises ListingGoneError."""
        kept = self._kept.get(listing)
        if kept is not None:
            self._kept.move_to_end(listing)
            return kept
        with unavailable_is_told():
            async with self._engine.connect() as connection:
                try:
                    return await self._board(connection, BoardTables(listing.generation), listing)
                except NoResultFound as error:
                    raise ListingGoneError from error
                except ProgrammingError as error:
                    if getattr(error.orig, "sqlstate", "") != UNDEFINED_TABLE:
                        raise
                    raise ListingGoneError from error

    async def _board(
        self, connection: AsyncConnection, tables: BoardTables, listing: ClubListing
    ) -> PackedBoard:
        rows = await self._clubs.rows(
            connection, tables, listing.club, listing.board, listing.day, listing.seq
        )
        if rows is None:
            raise UnknownClubError
        board = await asyncio.to_thread(PackedBoard.of, rows)
        self._kept[listing] = board
        while len(self._kept) > 1 and self._is_too_much():
            self._kept.popitem(last=False)
        return board

    def _is_too_much(self) -> bool:
        kept_bytes = sum(len(kept.rows) for kept in self._kept.values())
        return len(self._kept) > KEPT_MAX or kept_bytes > KEPT_BYTES_MAX
