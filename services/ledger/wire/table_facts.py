"""Facts of the MCR service, as far as the ledger reads them."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from google.protobuf.message import DecodeError

from libs.eventsourcing.envelope import RecordedEvent
from libs.pb.sparrow.mcr.v1 import table_event_pb2
from services.ledger.assets import HOUSE_POINTS, Asset, player_account
from services.ledger.commands import PostTransfer

DEAL_FINISHED: Final = "sparrow.mcr.deal_finished.v1"
SEATS: Final = 4


def orders_of_table_fact(recorded: RecordedEvent, source: str) -> tuple[PostTransfer, ...]:
    """Return what a finished deal moves: from the house for who won points, to the house for who lost some.

    The reason says where the points count: with the AI alone, or with at least one other person. A deal that
    nobody won moves nothing, nor does any of a private table. Raises ValueError when the fact makes no sense.
    """
    try:
        finished = table_event_pb2.DealFinished.FromString(recorded.data)
    except DecodeError as error:
        raise ValueError(f"the bytes are no DealFinished: {error}") from error
    table_id, deal_id = recorded.stream_id, UUID(finished.deal_id)
    accounts = [UUID(account) if account else None for account in finished.accounts]
    persons = [account for account in accounts if account is not None]
    if not persons or not finished.outcome.HasField("won"):
        return ()
    payments = finished.outcome.won.payments
    is_of_four = len(accounts) == len(payments) == SEATS and sum(payments) == 0
    if not is_of_four or len(set(persons)) != len(persons):
        raise ValueError(f"deal {deal_id} of {len(persons)} persons with the payments {list(payments)}")
    reason = "MCR" if len(persons) > 1 else "MCR_AI"
    return tuple(
        _moved(recorded, source, account, f"table/{table_id}/{deal_id}/{account}", points, reason)
        for account, points in zip(accounts, payments, strict=True)
        if account is not None and points
    )


def _moved(
    recorded: RecordedEvent, source: str, account: UUID, key: str, points: int, reason: str
) -> PostTransfer:
    player = player_account(account)
    return PostTransfer(
        key=key,
        asset=Asset.POINTS,
        debit=HOUSE_POINTS if points > 0 else player,
        credit=player if points > 0 else HOUSE_POINTS,
        amount=abs(points),
        reason=reason,
        occurred_at=recorded.occurred_at,
        recorded_at=recorded.recorded_at,
        cause=f"{source}:{recorded.id}",
    )
