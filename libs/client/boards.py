"""The boards: as they are, of a past day, as of an instant, of a club; and what a standing is made of."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import date, datetime
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp

from libs.client.calls import LIST_DEADLINE_S
from libs.client.link import Link
from libs.client.results import (
    BoardEntry,
    BoardKind,
    BoardPage,
    Contribution,
    Explanation,
    Standing,
    StandingDay,
)
from libs.client.wire import BOARD_TO_WIRE, explanation_of, page_of, standing_day_of, standing_of
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as wire

ME: Final = "players/me"
PAGE_SIZE: Final = 100
PAST_DEADLINE_S: Final = 30.0
"""A board of the past is computed whole when it is asked for first."""


class Boards:
    """Asks about boards through a signed-in connection."""

    def __init__(self, link: Link) -> None:
        """Ask through the connection."""
        self._link = link

    async def rows(
        self,
        board: BoardKind | str,
        *,
        page_size: int = PAGE_SIZE,
        around: str = "",
        day: date | None = None,
        as_of: datetime | None = None,
        club: str = "",
        with_previous_rank: bool = False,
    ) -> AsyncIterator[BoardEntry]:
        """Yield the rows of a board from the top, or from the page around a player on ("players/me").

        All rows are as of the instant of the first page: nobody comes twice, nobody is skipped.
        """
        token = ""
        while True:
            page = await self.page(
                board,
                page_size=page_size,
                page_token=token,
                around=around,
                day=day,
                as_of=as_of,
                club=club,
                with_previous_rank=with_previous_rank,
            )
            for entry in page.entries:
                yield entry
            if not (token := page.next_page_token):
                return

    async def page(
        self,
        board: BoardKind | str,
        *,
        page_size: int = PAGE_SIZE,
        page_token: str = "",
        around: str = "",
        day: date | None = None,
        as_of: datetime | None = None,
        club: str = "",
        with_previous_rank: bool = False,
    ) -> BoardPage:
        """Return one page with its window; the other arguments stay the same from page to page.

        A `day` asks for a past day's or week's board, `as_of` for what was shown at an instant, a club
        ("clubs/<uuid>") for its members' board; `with_previous_rank` for each row's rank of the day before.
        """
        request = wire.ListBoardEntriesRequest(
            board=BOARD_TO_WIRE[BoardKind(board)],
            page_size=page_size,
            page_token=page_token,
            anchor=around,
            day=day.isoformat() if day is not None else "",
            as_of_time=_timestamp(as_of),
            club=club,
            with_previous_rank=with_previous_rank,
        )
        deadline_s = PAST_DEADLINE_S if as_of is not None else LIST_DEADLINE_S
        return page_of(await self._link.calls.unary(self._link.ledger.ListBoardEntries, request, deadline_s))

    async def standings(self, player: str = ME) -> tuple[Standing, ...]:
        """Return a player's rank and points on every board, in the order of `BoardKind`."""
        request = wire.GetStandingsRequest(player=player)
        answer = await self._link.calls.unary(self._link.ledger.GetStandings, request, LIST_DEADLINE_S)
        return tuple(standing_of(standing) for standing in answer.standings)

    async def explain(
        self,
        board: BoardKind | str,
        player: str = ME,
        *,
        page_size: int = PAGE_SIZE,
        page_token: str = "",
        day: date | None = None,
        as_of: datetime | None = None,
    ) -> Explanation:
        """Return a standing and one page of the transfers it is made of, the newest first."""
        request = wire.ExplainStandingRequest(
            player=player,
            board=BOARD_TO_WIRE[BoardKind(board)],
            day=day.isoformat() if day is not None else "",
            as_of_time=_timestamp(as_of),
            page_size=page_size,
            page_token=page_token,
        )
        deadline_s = PAST_DEADLINE_S if as_of is not None else LIST_DEADLINE_S
        return explanation_of(
            await self._link.calls.unary(self._link.ledger.ExplainStanding, request, deadline_s)
        )

    async def contributions(
        self,
        board: BoardKind | str,
        player: str = ME,
        *,
        day: date | None = None,
        as_of: datetime | None = None,
    ) -> AsyncIterator[Contribution]:
        """Yield all transfers that make up a standing, the newest first."""
        token = ""
        while True:
            page = await self.explain(board, player, page_token=token, day=day, as_of=as_of)
            for contribution in page.contributions:
                yield contribution
            if not (token := page.next_page_token):
                return

    async def history(self, player: str = ME, *, days: int = 365) -> tuple[StandingDay, ...]:
        """Return so many days of a player in order, the one that the boards show last."""
        request = wire.GetStandingHistoryRequest(player=player, days=days)
        answer = await self._link.calls.unary(self._link.ledger.GetStandingHistory, request, LIST_DEADLINE_S)
        return tuple(standing_day_of(day) for day in answer.days)


def _timestamp(instant: datetime | None) -> Timestamp | None:
    if instant is None:
        return None
    message = Timestamp()
    message.FromDatetime(instant)
    return message
