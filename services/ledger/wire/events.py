"""Facts of the ledger, as they are stored."""

from __future__ import annotations

from datetime import date, datetime

from google.protobuf.message import Message

from libs.eventsourcing.envelope import NewEvent, Part, RecordedEvent
from libs.pb.sparrow.ledger.v1 import (
    ledger_event_pb2,
    ledger_pb2,
)
from services.ledger.assets import (
    Asset,
)
from services.ledger.events import LedgerDayClosed, LedgerEvent, TransferCancelled, TransferPosted

TRANSFER_POSTED = "sparrow.ledger.transfer_posted.v1"
TRANSFER_CANCELLED = "sparrow.ledger.transfer_cancelled.v1"
LEDGER_DAY_CLOSED = "sparrow.ledger.ledger_day_closed.v1"
ASSET_TO_WIRE = {
    Asset.POINTS: ledger_pb2.ASSET_POINTS,
    Asset.JOKER: ledger_pb2.ASSET_JOKER,
    Asset.CHIP: ledger_pb2.ASSET_CHIP,
    Asset.CUP: ledger_pb2.ASSET_CUP,
    Asset.RATING: ledger_pb2.ASSET_RATING,
}
ASSET_FROM_WIRE = {wire: asset for asset, wire in ASSET_TO_WIRE.items()}

posted_message = ledger_event_pb2.TransferPosted.FromString
"""Stored bytes of a posted transfer -> its message: all that a fold of millions has time for."""


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
                reverses=event.reverses,
                cup_kind=event.cup_kind,
            )
            return _fact(TRANSFER_POSTED, occurred_at, message)
        case TransferCancelled(key):
            return _fact(TRANSFER_CANCELLED, occurred_at, ledger_event_pb2.TransferCancelled(key=key))
        case LedgerDayClosed(day):
            closed = ledger_event_pb2.LedgerDayClosed(day=day.isoformat())
            return _fact(LEDGER_DAY_CLOSED, occurred_at, closed)


def _fact(type_: str, occurred_at: datetime, message: Message) -> NewEvent:
    return NewEvent(Part.FACTS, type_, 1, occurred_at, message.SerializeToString(deterministic=True))


def decode(recorded: RecordedEvent) -> LedgerEvent | None:
    """Return a stored fact of the ledger; None for a type that the boards do not declare."""
    if recorded.type not in {TRANSFER_POSTED, TRANSFER_CANCELLED, LEDGER_DAY_CLOSED}:
        return None
    assert recorded.schema_version == 1, f"{recorded.id} has schema version {recorded.schema_version}"
    if recorded.type == TRANSFER_POSTED:
        return transfer_of(recorded.data, recorded.occurred_at)
    if recorded.type == TRANSFER_CANCELLED:
        return TransferCancelled(cancelled_key(recorded.data), recorded.occurred_at)
    return LedgerDayClosed(closed_day(recorded.data))


def transfer_of(data: bytes, occurred_at: datetime) -> TransferPosted:
    """Return a posted transfer from its stored bytes."""
    message = posted_message(data)
    return TransferPosted(
        key=message.key,
        asset=ASSET_FROM_WIRE[message.asset],
        debit=message.debit,
        credit=message.credit,
        amount=message.amount,
        reason=message.reason,
        occurred_at=occurred_at,
        day=date.fromisoformat(message.day),
        time_zone_data=message.time_zone_data,
        cause=message.cause,
        reverses=message.reverses,
        cup_kind=message.cup_kind,
    )


def cancelled_key(data: bytes) -> str:
    """Return the key of a stored cancelling."""
    return ledger_event_pb2.TransferCancelled.FromString(data).key


def closed_day(data: bytes) -> date:
    """Return the day that a stored closing ends."""
    return date.fromisoformat(ledger_event_pb2.LedgerDayClosed.FromString(data).day)
