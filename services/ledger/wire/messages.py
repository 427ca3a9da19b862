"""Requests and answers of the ledger, to orders and from what is known."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from uuid import UUID

from google.protobuf.timestamp_pb2 import Timestamp

from libs.pb.sparrow.ledger.v1 import (
    ledger_operations_service_pb2,
    ledger_pb2,
    ledger_service_pb2,
)
from services.ledger.assets import (
    HOUSE_CHIPS,
    HOUSE_JOKERS,
    Asset,
    player_account,
)
from services.ledger.commands import PostTransfer
from services.ledger.domain.bonus import Standing
from services.ledger.domain.calendar import ZONE_NAME, day_end
from services.ledger.domain.ranks import Entry
from services.ledger.domain.standing_days import StandingDay
from services.ledger.domain.windows import Board, Window
from services.ledger.events import TransferPosted
from services.ledger.wire.events import (
    ASSET_FROM_WIRE,
    ASSET_TO_WIRE,
)

BOARD_TO_WIRE = {
    Board.AMR: ledger_pb2.BOARD_AMR,
    Board.WEEKLY: ledger_pb2.BOARD_WEEKLY,
    Board.DAILY: ledger_pb2.BOARD_DAILY,
    Board.MCR_YEAR: ledger_pb2.BOARD_MCR_YEAR,
    Board.MCR_WEEKLY: ledger_pb2.BOARD_MCR_WEEKLY,
    Board.MCR_DAILY: ledger_pb2.BOARD_MCR_DAILY,
    Board.MCR_AI_YEAR: ledger_pb2.BOARD_MCR_AI_YEAR,
    Board.MCR_AI_WEEKLY: ledger_pb2.BOARD_MCR_AI_WEEKLY,
    Board.MCR_AI_DAILY: ledger_pb2.BOARD_MCR_AI_DAILY,
    Board.RACE_RATING: ledger_pb2.BOARD_RACE_RATING,
}
BOARD_FROM_WIRE = {wire: board for board, wire in BOARD_TO_WIRE.items()}
_COLLECTIONS = {"match": "matches", "level": "levels", "table": "tables", "tournament": "tournaments"}
"""What the first part of a key names, as part of a resource's name."""


def order_of_grant(
    request: ledger_service_pb2.GrantAssetRequest, granter: UUID, now: datetime
) -> PostTransfer:
    """Return the order in a grant whose fields were checked; its key is the operator's request."""
    asset = ASSET_FROM_WIRE[request.asset]
    return PostTransfer(
        key=f"grant/{granter}/{request.request_id}",
        asset=asset,
        debit=HOUSE_JOKERS if asset is Asset.JOKER else HOUSE_CHIPS,
        credit=request.player,
        amount=request.amount,
        reason=request.reason,
        occurred_at=now,
        recorded_at=now,
        cause="",
    )


def order_of_request(request: ledger_service_pb2.PostTransferRequest, recorded_at: datetime) -> PostTransfer:
    """Return the order in a request whose fields were checked."""
    return PostTransfer(
        key=request.key,
        asset=ASSET_FROM_WIRE[request.asset],
        debit=request.debit,
        credit=request.credit,
        amount=request.amount,
        reason=request.reason,
        occurred_at=request.occurred_time.ToDatetime(UTC),
        recorded_at=recorded_at,
        cause="",
        cup_kind=request.cup_kind,
    )


def transfer_message(transfer: TransferPosted, posted_at: datetime) -> ledger_pb2.Transfer:
    """Return a transfer as clients see it."""
    return ledger_pb2.Transfer(
        key=transfer.key,
        asset=ASSET_TO_WIRE[transfer.asset],
        debit=transfer.debit,
        credit=transfer.credit,
        amount=transfer.amount,
        reason=transfer.reason,
        occurred_time=timestamp(transfer.occurred_at),
        day=transfer.day.isoformat(),
        posted_time=timestamp(posted_at),
        reverses=transfer.reverses,
        cup_kind=transfer.cup_kind,
    )


def balance_messages(held: Mapping[Asset, int]) -> list[ledger_pb2.Balance]:
    """Return jokers and chips, in this order; what never moved is 0."""
    return [
        ledger_pb2.Balance(asset=ASSET_TO_WIRE[asset], amount=held.get(asset, 0))
        for asset in (Asset.JOKER, Asset.CHIP)
    ]


def cup_messages(cups: Mapping[str, int]) -> list[ledger_pb2.CupBalance]:
    """Return cups in the order of their kinds."""
    return [ledger_pb2.CupBalance(cup_kind=kind, amount=amount) for kind, amount in sorted(cups.items())]


def bonus_message(standing: Standing, day: date, *, needs_receipt: bool) -> ledger_pb2.DailyBonus:
    """Return where a daily bonus stands on a day."""
    return ledger_pb2.DailyBonus(
        streak_day=standing.streak,
        claimed=standing.is_claimed,
        doubled=standing.is_doubled,
        next_points=standing.next_points,
        next_joker=standing.next_joker,
        doubling_points=standing.doubling_points,
        doubling_needs_receipt=needs_receipt,
        day=day.isoformat(),
        end_time=timestamp(day_end(day)),
        time_zone=ZONE_NAME,
    )


@lru_cache(maxsize=256)
def window_message(board: Board, window: Window | None) -> ledger_pb2.BoardWindow:
    """Return what a board counts, with the instants of its ends and the zone that sets them.

    It is one message for all who ask: to be copied into theirs, and not changed.
    """
    if window is None:
        return ledger_pb2.BoardWindow(board=BOARD_TO_WIRE[board])
    return ledger_pb2.BoardWindow(
        board=BOARD_TO_WIRE[board],
        first_day=window.first_day.isoformat(),
        last_day=window.last_day.isoformat(),
        start_time=timestamp(window.start),
        end_time=timestamp(window.end),
        time_zone=ZONE_NAME,
    )


def entry_message(entry: Entry, previous_rank: int = 0) -> ledger_pb2.BoardEntry:
    """Return one row of a board."""
    return ledger_pb2.BoardEntry(
        rank=entry.rank,
        player=player_account(entry.account),
        points=entry.points,
        previous_rank=previous_rank,
    )


def standing_message(
    board: Board, window: Window | None, entry: Entry | None, player_count: int
) -> ledger_pb2.Standing:
    """Return a player's row on one board; without an entry when the player is not listed."""
    listed = entry_message(entry) if entry is not None else None
    return ledger_pb2.Standing(window=window_message(board, window), entry=listed, player_count=player_count)


def contribution_message(
    transfer: TransferPosted, posted_at: datetime, points: int
) -> ledger_pb2.Contribution:
    """Return a transfer that counts in a standing, with what its key and its cause say it was earned in."""
    return ledger_pb2.Contribution(
        transfer=transfer_message(transfer, posted_at),
        points=points,
        cause=transfer.cause,
        subject=subject_of(transfer.reverses or transfer.key),
    )


def subject_of(key: str) -> str:
    """Return the name of the match, level, table or tournament that a key is about; empty for any other."""
    kind, _, rest = key.partition("/")
    subject = rest.partition("/")[0]
    collection = _COLLECTIONS.get(kind)
    return f"{collection}/{subject}" if collection and subject else ""


def standing_day_message(day: StandingDay, rank: int) -> ledger_service_pb2.StandingDay:
    """Return one day of a player."""
    return ledger_service_pb2.StandingDay(
        day=day.day.isoformat(), points=day.points, amr_points=day.year_points, amr_rank=rank
    )


def timestamp(instant: datetime) -> Timestamp:
    """Return an instant as protobuf has it."""
    message = Timestamp()
    message.FromDatetime(instant)
    return message


def generation_message(
    generation: int, *, active: bool, seq: int, as_of_day: date | None, digest: bytes, at: datetime | None
) -> ledger_operations_service_pb2.BoardGeneration:
    """Return where a generation of boards stands."""
    return ledger_operations_service_pb2.BoardGeneration(
        generation=generation,
        active=active,
        sequence=seq,
        as_of_day="" if as_of_day is None else as_of_day.isoformat(),
        digest=digest.hex(),
        as_of_time=None if at is None else timestamp(at),
    )


def board_row_message(
    board: Board, day: date, account: str, points: int
) -> ledger_operations_service_pb2.BoardRow:
    """Return one row of a generation."""
    return ledger_operations_service_pb2.BoardRow(
        board=BOARD_TO_WIRE[board], day=day.isoformat(), player=player_account(account), points=points
    )
