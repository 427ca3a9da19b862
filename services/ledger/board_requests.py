"""What requests about boards ask for, with the combinations that make no sense refused by their field."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final
from uuid import UUID

from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as pb
from libs.runtime.errors import invalid_field
from libs.runtime.names import parse_club, parse_player
from services.ledger.domain.calendar import ledger_day
from services.ledger.domain.windows import WINDOWED, Board
from services.ledger.projections.listings import BoardQuestion
from services.ledger.wire.messages import BOARD_FROM_WIRE

HISTORY_DAYS_DEFAULT, HISTORY_DAYS_MAX = 365, 730
EARLIEST_DAY: Final = date(2000, 1, 1)
BOARDS_OF_A_YEAR: Final = frozenset(boards.year for boards in WINDOWED.values())
BY_DAY: Final = frozenset(Board) - BOARDS_OF_A_YEAR - {Board.RACE_RATING}
"""The boards of a day or a week: their sheets are kept."""


@dataclass(frozen=True, slots=True)
class ExplainQuestion:
    """Whose standing on which board: now, of a day, or as of an instant."""

    account: UUID
    board: Board
    day: date | None
    at: datetime | None


def board_question(request: pb.ListBoardEntriesRequest, size: int, now: datetime) -> BoardQuestion:
    """Return which rows are asked for. Raises FIELD_INVALID."""
    board = BOARD_FROM_WIRE[request.board]
    anchor = parse_player("anchor", request.anchor, allow_me=True) if request.anchor else None
    day, at = _day(request, board, now), _instant(request, now)
    club = parse_club("club", request.club) if request.club else None
    if club is not None and board is Board.RACE_RATING:
        raise invalid_field("club", "a rating has no board of a club")
    if club is not None and at is not None:
        raise invalid_field("club", "not together with as_of_time")
    if request.with_previous_rank and any(each is not None for each in (day, at, club)):
        raise invalid_field("with_previous_rank", "not together with day, as_of_time or club")
    return BoardQuestion(
        board,
        size,
        anchor=str(anchor) if anchor is not None else None,
        day=day,
        at=at,
        club=club,
        with_previous_rank=request.with_previous_rank,
    )


def explain_question(request: pb.ExplainStandingRequest, now: datetime) -> ExplainQuestion:
    """Return which standing is asked for. Raises FIELD_INVALID."""
    account = parse_player("player", request.player, allow_me=True)
    board = BOARD_FROM_WIRE[request.board]
    return ExplainQuestion(account, board, _day(request, board, now), _instant(request, now))


def history_days(request: pb.GetStandingHistoryRequest) -> int:
    """Return how many days are asked for. Raises FIELD_INVALID."""
    if not 0 <= request.days <= HISTORY_DAYS_MAX:
        raise invalid_field("days", f"1 to {HISTORY_DAYS_MAX}, or 0 for {HISTORY_DAYS_DEFAULT}")
    return request.days or HISTORY_DAYS_DEFAULT


def _day(
    request: pb.ListBoardEntriesRequest | pb.ExplainStandingRequest, board: Board, now: datetime
) -> date | None:
    if not request.day:
        return None
    try:
        day = date.fromisoformat(request.day)
    except ValueError as error:
        raise invalid_field("day", 'a Romanian day, "2026-11-20"') from error
    if day.isoformat() != request.day or not EARLIEST_DAY <= day <= ledger_day(now):
        raise invalid_field("day", f'a Romanian day from "{EARLIEST_DAY}" to today')
    if board not in BY_DAY:
        raise invalid_field("day", "for boards of a day or a week: others are asked for by as_of_time")
    if request.HasField("as_of_time"):
        raise invalid_field("day", "not together with as_of_time")
    return day


def _instant(
    request: pb.ListBoardEntriesRequest | pb.ExplainStandingRequest, now: datetime
) -> datetime | None:
    if not request.HasField("as_of_time"):
        return None
    at = request.as_of_time.ToDatetime(UTC)
    if at > now:
        raise invalid_field("as_of_time", "not in the future")
    return at
