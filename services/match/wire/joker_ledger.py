"""Jokers at the ledger: taken by a key that posts once, given back by cancelling the key for ever."""

from __future__ import annotations

from datetime import datetime
from enum import Enum, auto
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import grpc
from google.protobuf.timestamp_pb2 import Timestamp
from google.rpc import error_details_pb2  # type: ignore[import-untyped]
from grpc_status import rpc_status

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as pb
from libs.runtime.names import player_name

HOUSE = "house/jokers"
REASON = "JOKER_USED"


class Spend(Enum):
    """What the ledger said."""

    SPENT = auto()
    NONE_OWNED = auto()
    CANCELLED = auto()
    """The key was cancelled before: nothing is spent, for ever."""


class LedgerSilent(Exception):
    """No answer: a joker may have been taken or not. Ask again with the same key."""


class JokerLedger:
    """The ledger as a match needs it."""

    def __init__(self, stub: Any) -> None:
        """Call through `stub`, which signs as this service."""
        self._stub = stub

    async def spend(self, key: str, account_id: UUID, at: datetime, timeout_s: float) -> Spend:
        """Take one joker from the account under this key. Raises LedgerSilent."""
        occurred = Timestamp()
        occurred.FromDatetime(at)
        request = pb.PostTransferRequest(
            key=key,
            asset=ledger_pb2.ASSET_JOKER,
            debit=player_name(account_id),
            credit=HOUSE,
            amount=1,
            reason=REASON,
            occurred_time=occurred,
            request_id=request_id_of("spend", key),
        )
        reason = await why_refused(self._stub.PostTransfer(request, timeout=timeout_s))
        if reason is None:
            return Spend.SPENT
        if reason == "BALANCE_TOO_LOW":
            return Spend.NONE_OWNED
        if reason == "KEY_CANCELLED":
            return Spend.CANCELLED
        raise LedgerSilent(reason)

    async def give_back(self, key: str) -> None:
        """Make the key as if nothing was taken under it, for ever. Raises LedgerSilent."""
        request = pb.CancelTransferRequest(key=key, request_id=request_id_of("cancel", key))
        reason = await why_refused(self._stub.CancelTransfer(request))
        if reason is not None:
            raise LedgerSilent(reason)


async def why_refused(call: Any) -> str | None:
    """The reason why a call failed; None when it did not."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        status = rpc_status.from_call(error)  # type: ignore[arg-type]  # reads the metadata only
        for detail in status.details if status is not None else ():
            info = error_details_pb2.ErrorInfo()
            if detail.Unpack(info):
                return str(info.reason)
        return error.code().name
    return None


def request_id_of(purpose: str, key: str) -> str:
    """The request_id of a call that is the same for whoever makes it."""
    return str(uuid5(NAMESPACE_URL, f"sparrow:{purpose}:{key}"))
