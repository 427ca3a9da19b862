"""Protobuf <-> the ledger's orders, facts and answers; and match facts, as far as the ledger reads them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from uuid import UUID

from google.protobuf.message import DecodeError
from google.protobuf.timestamp_pb2 import Timestamp

from libs.eventsourcing.envelope import NewEvent, Part, RecordedEvent
from libs.pb.sparrow.ledger.v1 import ledger_event_pb2, ledger_pb2, ledger_service_pb2
from libs.pb.sparrow.match.v1 import match_event_pb2
from services.ledger.assets import HOUSE_POINTS, Asset, player_account
from services.ledger.commands import PostTransfer
from services.ledger.domain.calendar import ZONE_NAME
from services.ledger.domain.ranks import Entry
from services.ledger.domain.windows import Board, Window
from services.ledger.events import LedgerDayClosed, LedgerEvent, TransferPosted

TRANSFER_POSTED = "sparrow.ledger.transfer_posted.v1"
LEDGER_DAY_CLOSED = "sparrow.ledger.ledger_day_closed.v1"
ATTEMPT_CLEARED = "sparrow.match.attempt_cleared.v1"

ASSET_TO_WIRE = {
    Asset.POINTS: ledger_pb2.ASSET_POINTS,
    Asset.JOKER: ledger_pb2.ASSET_JOKER,
    Asset.CHIP: ledger_pb2.ASSET_CHIP,
}
ASSET_FROM_WIRE = {wire: asset for asset, wire in ASSET_TO_WIRE.items()}

BOARD_TO_WIRE = {
    Board.AMR: ledger_pb2.BOARD_AMR,
    Board.WEEKLY: ledger_pb2.BOARD_WEEKLY,
    Board.DAILY: ledger_pb2.BOARD_DAILY,
}
BOARD_FROM_WIRE = {wire: board for board, wire in BOARD_TO_WIRE.items()}


def encode(event: LedgerEvent, occurred_at: datetime) -> NewEvent:
    """Return a fact as it is stored."""
    match event:
        case TransferPosted():
            message = ledger_event_pb2.TransferPosted(
                key=event.key,
                asset=ASSET_TO_WIRE[event.asset],
                debit=event.debit,
                credit=event.credit,
                amount=event.amount,
                reason=event.reason,
                day=event.day.isoformat(),
                time_zone_data=event.time_zone_data,
                cause=event.cause,
            )
            return NewEvent(
                Part.FACTS, TRANSFER_POSTED, 1, occurred_at, message.SerializeToString(deterministic=True)
            )
        case LedgerDayClosed(day):
            closed = ledger_event_pb2.LedgerDayClosed(day=day.isoformat())
            return NewEvent(
                Part.FACTS, LEDGER_DAY_CLOSED, 1, occurred_at, closed.SerializeToString(deterministic=True)
            )


def decode(recorded: RecordedEvent) -> LedgerEvent | None:
    """Return a stored fact of the ledger; None for a type that the boards do not declare."""
    if recorded.type == TRANSFER_POSTED:
        assert recorded.schema_version == 1, f"{recorded.id} has schema version {recorded.schema_version}"
        message = ledger_event_pb2.TransferPosted.FromString(recorded.data)
        return TransferPosted(
            key=message.key,
            asset=ASSET_FROM_WIRE[message.asset],
            debit=message.debit,
            credit=message.credit,
            amount=message.amount,
            reason=message.reason,
            occurred_at=recorded.occurred_at,
            day=date.fromisoformat(message.day),
            time_zone_data=message.time_zone_data,
            cause=message.cause,
        )
    if recorded.type == LEDGER_DAY_CLOSED:
        assert recorded.schema_version == 1, f"{recorded.id} has schema version {recorded.schema_version}"
        return LedgerDayClosed(
            date.fromisoformat(ledger_event_pb2.LedgerDayClosed.FromString(recorded.data).day)
        )
    return None


def orders_of_cleared(recorded: RecordedEvent, source: str) -> tuple[PostTransfer, ...]:
    """Return the transfers that a cleared attempt earns. Raises ValueError when the fact makes no sense."""
    try:
        cleared = match_event_pb2.AttemptCleared.FromString(recorded.data)
    except DecodeError as error:
        raise ValueError(f"the bytes are no AttemptCleared: {error}") from error
    account, level = UUID(cleared.account_id), cleared.level
    earned = []
    if cleared.first_completion_points:
        earned.append((f"level/{level}/first/{account}", cleared.first_completion_points, "LEVEL_FIRST"))
    if bonus := cleared.time_bonus_points:
        earned.append((f"level/{level}/time/{bonus}/{account}", bonus, "LEVEL_TIME"))
    if level < 1 or any(points < 0 for _, points, _ in earned):
        raise ValueError(f"level {level} with {earned}")
    return tuple(
        PostTransfer(
            key=key,
            asset=Asset.POINTS,
            debit=HOUSE_POINTS,
            credit=player_account(account),
            amount=points,
            reason=reason,
            occurred_at=recorded.occurred_at,
            recorded_at=recorded.recorded_at,
            cause=f"{source}:{recorded.id}",
        )
        for key, points, reason in earned
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
    )


def window_message(window: Window) -> ledger_pb2.BoardWindow:
    """Return what a board counts, with the instants of its ends and the zone that sets them."""
    return ledger_pb2.BoardWindow(
        board=BOARD_TO_WIRE[window.board],
        first_day=window.first_day.isoformat(),
        last_day=window.last_day.isoformat(),
        start_time=timestamp(window.start),
        end_time=timestamp(window.end),
        time_zone=ZONE_NAME,
    )


def entry_message(entry: Entry) -> ledger_pb2.BoardEntry:
    """Return one row of a board."""
    return ledger_pb2.BoardEntry(rank=entry.rank, player=player_account(entry.account), points=entry.points)


def standing_message(window: Window, entry: Entry | None, player_count: int) -> ledger_pb2.Standing:
    """Return a player's row on one board; without an entry when the player is not listed."""
    listed = entry_message(entry) if entry is not None else None
    return ledger_pb2.Standing(window=window_message(window), entry=listed, player_count=player_count)


def timestamp(instant: datetime) -> Timestamp:
    """Return an instant as protobuf has it."""
    message = Timestamp()
    message.FromDatetime(instant)
    return message
