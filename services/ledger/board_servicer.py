"""The boards at the edge: listings, standings, what they are made of, and a player's year."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Final, TypeVar
from uuid import UUID

from libs.eventstore.postgres.database import Database
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as pb
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2_grpc as pb_grpc
from libs.runtime.caller import CALLER, Player
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused
from libs.runtime.names import parse_player
from libs.runtime.paging import PAGE_VALID_S, listing, page_size
from libs.runtime.ready import ready
from libs.runtime.tokens import OpaqueTokens
from services.ledger.board_requests import ExplainQuestion, board_question, explain_question, history_days
from services.ledger.domain.calendar import ledger_day
from services.ledger.domain.ranks import Entry
from services.ledger.domain.windows import Board, Window
from services.ledger.projections.club_listings import ClubRows, UnknownClubError
from services.ledger.projections.contributions import Contribution, Contributions, Scope
from services.ledger.projections.listings import BoardListings, BoardSlice
from services.ledger.projections.past import BeforeOpeningError, BehindError, PastBoards
from services.ledger.projections.reads import (
    BoardReader,
    BoardsNotOpenError,
    ListingGoneError,
    window_of,
)
from services.ledger.projections.standing_history import StandingHistory
from services.ledger.wire.messages import (
    contribution_message,
    entry_message,
    standing_day_message,
    standing_message,
    window_message,
)

T = TypeVar("T")

BOARD_PAGE: Final = "page.board"
CONTRIBUTIONS_PAGE: Final = "page.contributions"
BOARD_PAGE_DEFAULT, CONTRIBUTIONS_PAGE_DEFAULT, PAGE_MAX = 20, 50, 200
MIDNIGHT_WAIT_S: Final = 1.0
"""How long a read past a midnight waits for the boards to move on before it shows their own day."""
MIDNIGHT_POLL_S: Final = 0.02
READY_KEPT: Final = 64
ORDINAL_END: Final = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Explained:
    """A standing that is explained: what `board` counts on `day`, as it stood at `seq` of the feed."""

    day: date
    window: Window | None
    entry: Entry | None
    player_count: int
    seq: int


@dataclass(frozen=True, slots=True)
class BoardReads:
    """Everything that answers about boards."""

    reader: BoardReader
    listings: BoardListings
    past: PastBoards
    contributions: Contributions
    history: StandingHistory

    @classmethod
    def of(cls, database: Database, reader: BoardReader, clubs: ClubRows) -> BoardReads:
        """Put it together."""
        past = PastBoards(database, reader)
        listings = BoardListings(database, reader, past, clubs)
        return cls(reader, listings, past, Contributions(database, reader), StandingHistory(reader))


class BoardMethods(pb_grpc.LedgerServiceServicer):
    """The methods of LedgerService that read boards."""

    def __init__(self, boards: BoardReads, tokens: OpaqueTokens, clock: Clock) -> None:
        """Serve from the boards."""
        self._reads = boards
        self._tokens = tokens
        self._clock = clock
        self._ready: dict[tuple[Board, int], tuple[BoardSlice, bytes]] = {}

    async def ListBoardEntries(
        self, request: pb.ListBoardEntriesRequest, context: Any
    ) -> pb.ListBoardEntriesResponse:
        """Page through a board, as of the first page's instant; the answer is ready-made."""
        size = page_size(request.page_size, BOARD_PAGE_DEFAULT, PAGE_MAX)
        now, bound_to = self._clock.now(), listing(request)
        question = board_question(request, size, now)
        if request.page_token:
            token = self._tokens.open(BOARD_PAGE, request.page_token, now, bound_to=bound_to)
            began = datetime.fromtimestamp(token["began"], UTC)
            found = await _told(self._reads.listings.next(question, token["page"]))
        else:
            began = now
            is_today = question.day is None and question.at is None
            found = await self._of_today(
                lambda: _told(self._reads.listings.first(question)),
                lambda page: page.shown_day if is_today else date.max,
            )
        page = self._ready_page(found)
        if found.next_token is not None:
            payload = {"began": began.timestamp(), "page": found.next_token}
            sealed = self._tokens.seal(BOARD_PAGE, payload, began, PAGE_VALID_S, bound_to=bound_to)
            # messages in a row are one message with the fields of all
            page += pb.ListBoardEntriesResponse(next_page_token=sealed).SerializeToString()
        return ready(pb.ListBoardEntriesResponse, page)

    async def GetStandings(self, request: pb.GetStandingsRequest, context: Any) -> pb.GetStandingsResponse:
        """Tell a player's rank and points on all boards."""
        account = parse_player("player", request.player, allow_me=True)
        standings = await self._of_today(
            lambda: self._reads.reader.standings(str(account)), lambda standings: standings.as_of_day
        )
        return pb.GetStandingsResponse(
            standings=[
                standing_message(standing.board, standing.window, standing.entry, standing.player_count)
                for standing in standings.rows
            ]
        )

    async def ExplainStanding(
        self, request: pb.ExplainStandingRequest, context: Any
    ) -> pb.ExplainStandingResponse:
        """List the transfers that make up a standing, the newest day and place in the feed first."""
        size = page_size(request.page_size, CONTRIBUTIONS_PAGE_DEFAULT, PAGE_MAX)
        now, bound_to = self._clock.now(), listing(request)
        question = explain_question(request, now)
        check_own(question.account, "players ask for what their own standings are made of")
        if request.page_token:
            token = self._tokens.open(CONTRIBUTIONS_PAGE, request.page_token, now, bound_to=bound_to)
            began = datetime.fromtimestamp(token["began"], UTC)
            explained, below = _explained(question.board, str(question.account), token), token["below"]
        else:
            began = now
            explained = await self._explain(question)
            below = date.max.isoformat(), ORDINAL_END
        scope = Scope.of(question.board, str(question.account), explained.window, explained.seq)
        found = await self._reads.contributions.page(
            scope, (date.fromisoformat(below[0]), below[1]), size + 1
        )
        response = pb.ExplainStandingResponse(
            standing=standing_message(
                question.board, explained.window, explained.entry, explained.player_count
            ),
            contributions=[
                contribution_message(each.transfer, each.posted_at, each.points) for each in found[:size]
            ],
        )
        if len(found) > size:
            payload = {"began": began.timestamp(), **_explained_token(explained, found[size - 1])}
            response.next_page_token = self._tokens.seal(
                CONTRIBUTIONS_PAGE, payload, began, PAGE_VALID_S, bound_to=bound_to
            )
        return response

    async def GetStandingHistory(
        self, request: pb.GetStandingHistoryRequest, context: Any
    ) -> pb.GetStandingHistoryResponse:
        """Tell a player's points of each day, and points and rank on AMR at its end."""
        account = parse_player("player", request.player, allow_me=True)
        count = history_days(request)
        days = await self._of_today(
            lambda: self._reads.history.days(str(account), count), lambda days: days[-1].day.day
        )
        return pb.GetStandingHistoryResponse(days=[standing_day_message(day.day, day.rank) for day in days])

    def _ready_page(self, found: BoardSlice) -> bytes:
        """Return a page as bytes, without its token; those of a page that many get are kept."""
        if not found.is_shared:
            return _page_message(found).SerializeToString()
        key = found.board, len(found.entries)
        kept = self._ready.get(key)
        if kept is not None and kept[0] is found:
            return kept[1]
        page = _page_message(found).SerializeToString()
        if len(self._ready) >= READY_KEPT:
            self._ready.clear()
        self._ready[key] = found, page
        return page

    async def _explain(self, question: ExplainQuestion) -> Explained:
        """Return the standing that is explained, and the place in the feed that it is of."""
        board, account = question.board, str(question.account)
        if (at := question.at) is not None:
            moment = await self._of_today(
                lambda: _told(self._reads.past.moment(at)), lambda _moment: date.max
            )
            whole = await self._reads.past.board(board, moment)
            index = await asyncio.to_thread(whole.find, account)
            entry = whole.slice(index, 1)[0] if index is not None else None
            return Explained(moment.day, window_of(board, moment.day), entry, len(whole), moment.seq)
        standings = await self._of_today(
            lambda: self._reads.reader.standings(account, (board,), question.day),
            lambda standings: standings.as_of_day if question.day is None else date.max,
        )
        (row,) = standings.rows
        day = question.day or standings.as_of_day
        return Explained(day, row.window, row.entry, row.player_count, standings.seq)

    async def _of_today(self, read: Callable[[], Awaitable[T]], day_of: Callable[[T], date]) -> T:
        """Return what `read` shows of the clock's day; wait at most a second for a midnight that is late.

        After that the answer is what the boards show, with the windows of their own day. Raises Refused
        NOT_READY when they have not opened any day.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + MIDNIGHT_WAIT_S
        while True:
            is_last = loop.time() >= deadline
            try:
                answer = await read()
                if is_last or day_of(answer) >= ledger_day(self._clock.now()):
                    return answer
            except BoardsNotOpenError as error:
                if is_last:
                    raise _not_open() from error
            await asyncio.sleep(MIDNIGHT_POLL_S)


def check_own(account: UUID, message: str) -> None:
    """Raise Refused NOT_YOURS when a player asks about another one."""
    caller = CALLER.get()
    if isinstance(caller, Player) and caller.account_id != account:
        raise Refused("NOT_YOURS", message)


async def _told(read: Awaitable[T]) -> T:
    """Return what is read; tell what stands in the way as a refusal."""
    try:
        return await read
    except ListingGoneError as error:
        raise Refused("PAGE_EXPIRED", "the boards were rebuilt: begin again") from error
    except BeforeOpeningError as error:
        raise Refused("NOT_FOUND", "no board was shown at that instant yet", {"name": "boards/"}) from error
    except BehindError as error:
        raise Refused("NOT_READY", "the boards have not come to it yet", retry_after_ms=1_000) from error
    except UnknownClubError as error:
        raise Refused("NOT_FOUND", "there is no such club") from error


def _not_open() -> Refused:
    return Refused("NOT_READY", "the boards have not opened their first day yet", retry_after_ms=1_000)


def _page_message(found: BoardSlice) -> pb.ListBoardEntriesResponse:
    return pb.ListBoardEntriesResponse(
        entries=[entry_message(entry, found.previous_ranks.get(entry.account, 0)) for entry in found.entries],
        window=window_message(found.board, found.window),
        player_count=found.player_count,
    )


def _explained_token(explained: Explained, last: Contribution) -> dict[str, Any]:
    entry = explained.entry
    return {
        "day": explained.day.isoformat(),
        "row": [entry.rank, entry.points] if entry is not None else None,
        "players": explained.player_count,
        "seq": explained.seq,
        "below": [last.transfer.day.isoformat(), last.seq],
    }


def _explained(board: Board, account: str, token: dict[str, Any]) -> Explained:
    day = date.fromisoformat(token["day"])
    entry = Entry(token["row"][0], account, token["row"][1]) if token["row"] is not None else None
    return Explained(day, window_of(board, day), entry, token["players"], token["seq"])
