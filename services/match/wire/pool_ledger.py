"""The ledger as a match of the pool needs it: stakes go into escrow, and all of it comes out again.

Every match has an escrow account of its own, so that what went in and came out of it sums to zero. The keys
are `match/<id>/pool/stake/<account>` and `match/<id>/pool/pot/<account>`: each moves chips once, for ever.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any, Final
from uuid import UUID

from google.protobuf.timestamp_pb2 import Timestamp

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as pb
from libs.runtime.names import player_name
from services.match.wire.joker_ledger import LedgerSilent, request_id_of, why_refused

STAKE_REASON: Final = "POOL_STAKE"
POT_REASON: Final = "POOL_POT"
ANSWER_WITHIN_S: Final = 2.0
"""A ledger that takes longer is silent: it is asked again."""
DAY: Final = timedelta(days=1)
"""The ledger takes transfers of the last 24 hours: what is paid later is dated whole days later."""


class Staked(Enum):
    """What the ledger said to a stake."""

    PAID = auto()
    TOO_FEW_CHIPS = auto()
    CANCELLED = auto()
    """The key was cancelled before: nothing is taken, for ever."""


def escrow_account(match_id: UUID) -> str:
    """The ledger account in which the stakes of a match lie."""
    return f"house/pool-{match_id}"


def stake_key(match_id: UUID, account_id: UUID) -> str:
    """The key of a stake."""
    return f"match/{match_id}/pool/stake/{account_id}"


def pot_key(match_id: UUID, account_id: UUID) -> str:
    """The key of what a seat gets of the pot."""
    return f"match/{match_id}/pool/pot/{account_id}"


class PoolLedger:
    """Chips of pool matches."""

    def __init__(self, stub: Any) -> None:
        """Call through `stub`, which signs as this service."""
        self._stub = stub

    async def stake(self, match_id: UUID, account_id: UUID, chips: int, at: datetime) -> Staked:
        """Move a stake into escrow. Raises LedgerSilent."""
        key = stake_key(match_id, account_id)
        reason = await self._post(
            key, player_name(account_id), escrow_account(match_id), chips, STAKE_REASON, at
        )
        match reason:
            case None:
                return Staked.PAID
            case "BALANCE_TOO_LOW":
                return Staked.TOO_FEW_CHIPS
            case "KEY_CANCELLED":
                return Staked.CANCELLED
            case _:
                raise LedgerSilent(reason)

    async def pay(
        self, match_id: UUID, account_id: UUID, chips: int, ended_at: datetime, now: datetime
    ) -> None:
        """Pay a seat out of escrow, once, however late. Raises LedgerSilent."""
        key, escrow, player = pot_key(match_id, account_id), escrow_account(match_id), player_name(account_id)
        reason = await self._post(key, escrow, player, chips, POT_REASON, ended_at)
        if reason == "OCCURRED_OUT_OF_RANGE":
            late = ended_at + (now - ended_at) // DAY * DAY
            reason = await self._post(key, escrow, player, chips, POT_REASON, late)
        if reason not in {None, "KEY_REUSED"}:  # reused: it was paid with another of its dates
            raise LedgerSilent(reason)

    async def give_back(self, match_id: UUID, account_id: UUID) -> None:
        """Make it as if the stake was never paid, for ever. Raises LedgerSilent."""
        key = stake_key(match_id, account_id)
        request = pb.CancelTransferRequest(key=key, request_id=request_id_of("cancel", key))
        reason = await why_refused(self._stub.CancelTransfer(request, timeout=ANSWER_WITHIN_S))
        if reason is not None:
            raise LedgerSilent(reason)

    async def _post(
        self, key: str, debit: str, credit: str, chips: int, why: str, at: datetime
    ) -> str | None:
        """Post a transfer; the reason why not, None where it stands."""
        occurred = Timestamp()
        occurred.FromDatetime(at)
        request = pb.PostTransferRequest(
            key=key,
            asset=ledger_pb2.ASSET_CHIP,
            debit=debit,
            credit=credit,
            amount=chips,
            reason=why,
            occurred_time=occurred,
            request_id=request_id_of("post", f"{key}/{at.isoformat()}"),
        )
        return await why_refused(self._stub.PostTransfer(request, timeout=ANSWER_WITHIN_S))
