"""Lists of board rows of every kind, by pages: as it is, of a past day, as of an instant, of a club.

A listing is its first page and what the token of the next one says: plain JSON values.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from libs.eventstore.postgres.database import Database
from services.ledger.domain.back_then import Moment
from services.ledger.domain.packed import PackedBoard
from services.ledger.domain.ranks import Entry, Place
from services.ledger.domain.windows import Board, Window
from services.ledger.projections.club_listings import ClubListing, ClubListings, ClubRows
from services.ledger.projections.movement import Movement
from services.ledger.projections.past import PastBoards
from services.ledger.projections.reads import BoardReader, Listing, Page, window_of

Token = dict[str, Any]
TOPS_KEPT: Final = 64


@dataclass(frozen=True, slots=True)
class BoardQuestion:
    """Which rows of which board: at most one of day, instant and club, and movement with none of them."""

    board: Board
    size: int
    anchor: str | None = None
    day: date | None = None
    at: datetime | None = None
    club: UUID | None = None
    with_previous_rank: bool = False


@dataclass(frozen=True, slots=True)
class BoardSlice:
    """A page of a listing."""

    board: Board
    window: Window | None
    entries: Sequence[Entry]
    player_count: int
    shown_day: date
    next_token: Token | None  # None at the end
    previous_ranks: Mapping[str, int] = field(default_factory=dict)  # by account, of those who were listed
    is_shared: bool = False
    """Whether others get the very same slice."""


class BoardListings:
    """Pages of boards."""

    def __init__(self, database: Database, boards: BoardReader, past: PastBoards, clubs: ClubRows) -> None:
        """Read through these."""
        self._boards = boards
        self._past = past
        engine = database.engine.execution_options(isolation_level="REPEATABLE READ")
        self._clubs = ClubListings(engine, clubs)
        self._movement = Movement(boards)
        self._tops: dict[tuple[Board, int], tuple[Page, BoardSlice]] = {}

    async def first(self, question: BoardQuestion) -> BoardSlice:
        """Return the first page.

        Raises BoardsNotOpenError, BeforeOpeningError, BehindError, UnknownClubError.
        """
        if question.at is not None:
            moment = await self._past.moment(question.at)
            whole = await self._past.board(question.board, moment)
            start = await _start(whole, question)
            return _packed_slice(question, whole, start, moment.day, _at(moment))
        if question.club is not None:
            return await self._first_of_club(question, question.club)
        if not (question.anchor or question.day or question.with_previous_rank):
            return await self._top(question)
        page = await self._boards.first_page(question.board, question.size, question.anchor, question.day)
        return await self._live(question, page)

    async def next(self, question: BoardQuestion, token: Token) -> BoardSlice:
        """Return the page that a token names. Raises ListingGoneError."""
        if question.at is not None:
            moment = Moment(token["seq"], date.fromisoformat(token["day"]))
            whole = await self._past.board(question.board, moment)
            return _packed_slice(question, whole, token["start"], moment.day, _at(moment))
        if question.club is not None:
            return await self._next_of_club(question, question.club, token)
        listing = Listing(token["generation"], token["seq"], date.fromisoformat(token["day"]))
        page = await self._boards.next_page(question.board, listing, _place(token), question.size)
        return await self._live(question, page)

    async def _top(self, question: BoardQuestion) -> BoardSlice:
        """Return the top page as it is: one slice for all who get the same page."""
        page = await self._boards.first_page(question.board, question.size)
        kept = self._tops.get((question.board, question.size))
        if kept is not None and kept[0] is page:
            return kept[1]
        found = replace(await self._live(question, page), is_shared=True)
        if len(self._tops) >= TOPS_KEPT:
            self._tops.clear()
        self._tops[question.board, question.size] = page, found
        return found

    async def _live(self, question: BoardQuestion, page: Page) -> BoardSlice:
        entries = page.entries
        ranks: Mapping[str, int] = {}
        if question.with_previous_rank:
            accounts = [entry.account for entry in entries]
            ranks = await self._movement.ranks_before(question.board, page.listing.day, accounts)
        token = None if page.is_last or page.last is None else _live_token(page.listing, page.last)
        return BoardSlice(
            question.board, page.window, entries, page.player_count, page.shown_day, token, ranks
        )

    async def _first_of_club(self, question: BoardQuestion, club: UUID) -> BoardSlice:
        """Compute a club's board, whole: its members are few."""
        listing, shown_day, whole = await self._clubs.first(club, question.board, question.day)
        start = await _start(whole, question)
        return replace(_club_slice(question, listing, whole, start), shown_day=shown_day)

    async def _next_of_club(self, question: BoardQuestion, club: UUID, token: Token) -> BoardSlice:
        day = date.fromisoformat(token["day"])
        listing = ClubListing(club, question.board, token["generation"], token["seq"], day)
        whole = await self._clubs.again(listing)
        return _club_slice(question, listing, whole, whole.behind(token["account"], token["points"]))


async def _start(whole: PackedBoard, question: BoardQuestion) -> int:
    if question.anchor is None:
        return 0
    index = await asyncio.to_thread(whole.find, question.anchor)
    return whole.around(index, question.size) if index is not None else 0


def _packed_slice(
    question: BoardQuestion, whole: PackedBoard, start: int, day: date, token: Token
) -> BoardSlice:
    entries = whole.slice(start, question.size)
    end = start + len(entries)
    next_token = {**token, "start": end} if end < len(whole) else None
    return BoardSlice(question.board, window_of(question.board, day), entries, len(whole), day, next_token)


def _at(moment: Moment) -> Token:
    return {"seq": moment.seq, "day": moment.day.isoformat()}


def _club_slice(question: BoardQuestion, listing: ClubListing, whole: PackedBoard, start: int) -> BoardSlice:
    found = _packed_slice(question, whole, start, listing.day, listing.token())
    if found.next_token is None:
        return found
    _, account, points = found.entries[-1]
    return replace(found, next_token={**listing.token(), "account": account, "points": points})


def _live_token(listing: Listing, last: Place) -> Token:
    return {
        "generation": listing.generation,
        "seq": listing.seq,
        "day": listing.day.isoformat(),
        "rank": last.entry.rank,
        "account": last.entry.account,
        "points": last.entry.points,
        "next_rank": last.next_rank,
        "tie": last.is_tie_counted,
    }


def _place(token: Token) -> Place:
    entry = Entry(token["rank"], token["account"], token["points"])
    return Place(entry, token["next_rank"], token["tie"])
