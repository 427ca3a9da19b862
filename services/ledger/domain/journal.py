"""Intake: which orders become transfers. One function for synchronous commands and for other services' facts.

Order of precedence: a cancelled key answers first (KEY_CANCELLED, for ever), then one that was posted (the
transfer, or KEY_REUSED), then the acceptance window, then the balances. So a late repeat still gets its
transfer, and whoever repeats a spend that was taken back is never told that it stands.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from services.ledger.assets import BALANCED, Asset, player_of
from services.ledger.commands import PostTransfer
from services.ledger.domain.calendar import TIME_ZONE_DATA, ledger_day
from services.ledger.events import TransferPosted

OCCURRED_BEFORE_MAX: Final = timedelta(hours=24)
OCCURRED_AFTER_MAX: Final = timedelta(seconds=2)
BALANCE_MAX: Final = 2**53
"""The most that a player may hold of one asset: no sum leaves 64 bits, and every program can show it."""


class Refusal(StrEnum):
    """Why an order does not become a transfer."""

    KEY_CANCELLED = "KEY_CANCELLED"
    KEY_REUSED = "KEY_REUSED"
    OCCURRED_OUT_OF_RANGE = "OCCURRED_OUT_OF_RANGE"
    BALANCE_TOO_LOW = "BALANCE_TOO_LOW"
    BALANCE_TOO_HIGH = "BALANCE_TOO_HIGH"


class Holding(NamedTuple):
    """A player's stock of one asset; sorts in the order in which rows are locked."""

    account: str
    asset: Asset


@dataclass(frozen=True, slots=True)
class Existing:
    """The key was posted before, with the same contents."""

    transfer: TransferPosted


Outcome = TransferPosted | Existing | Refusal


@dataclass(frozen=True, slots=True)
class Decided:
    """An outcome per order, in order, and the balances afterwards of those that moved."""

    outcomes: tuple[Outcome, ...]
    balances: Mapping[Holding, int]


def holdings(order: PostTransfer | TransferPosted) -> tuple[Holding, ...]:
    """Return the balances that an order moves: players' sides of JOKER and CHIP; the house has no rows."""
    if order.asset not in BALANCED:
        return ()
    return tuple(
        Holding(account, order.asset)
        for account in (order.debit, order.credit)
        if player_of(account) is not None
    )


def decide(
    orders: Sequence[PostTransfer],
    posted: Mapping[str, TransferPosted],
    balances: Mapping[Holding, int],
    cancelled: Collection[str] = frozenset(),
) -> Decided:
    """Judge orders one after the other, each on what the ones before it left.

    `posted` holds the transfers whose keys the orders name, `balances` the rows they move (absent: 0),
    `cancelled` those of the keys that were cancelled, whether or not they were posted before.
    """
    by_key = dict(posted)
    moved: dict[Holding, int] = {}
    held = ChainMap(moved, dict(balances))
    outcomes: list[Outcome] = []
    for order in orders:
        if order.key in cancelled:
            outcomes.append(Refusal.KEY_CANCELLED)
            continue
        outcome = judge(order, by_key, held)
        if isinstance(outcome, TransferPosted):
            by_key[outcome.key] = outcome
            moved |= balances_after(outcome, held)
        outcomes.append(outcome)
    return Decided(tuple(outcomes), moved)


def balances_after(transfer: TransferPosted, balances: Mapping[Holding, int]) -> dict[Holding, int]:
    """Return the balances that a transfer moves, as they are afterwards (absent before: 0)."""
    return {
        holding: balances.get(holding, 0)
        + (transfer.amount if holding.account == transfer.credit else -transfer.amount)
        for holding in holdings(transfer)
    }


def judge(
    order: PostTransfer, posted: Mapping[str, TransferPosted], balances: Mapping[Holding, int]
) -> Outcome:
    """Judge one order whose key was not cancelled, on what stands posted and is held."""
    if (earlier := posted.get(order.key)) is not None:
        return Existing(earlier) if same_contents(order, earlier) else Refusal.KEY_REUSED
    age = order.recorded_at - order.occurred_at
    if age < -OCCURRED_AFTER_MAX or (age > OCCURRED_BEFORE_MAX and not order.is_caught_up):
        return Refusal.OCCURRED_OUT_OF_RANGE
    moves = holdings(order)
    giver, taker = Holding(order.debit, order.asset), Holding(order.credit, order.asset)
    if giver in moves and balances.get(giver, 0) < order.amount:
        return Refusal.BALANCE_TOO_LOW
    if taker in moves and balances.get(taker, 0) + order.amount > BALANCE_MAX:
        return Refusal.BALANCE_TOO_HIGH
    return TransferPosted(
        key=order.key,
        asset=order.asset,
        debit=order.debit,
        credit=order.credit,
        amount=order.amount,
        reason=order.reason,
        occurred_at=order.occurred_at,
        day=ledger_day(order.occurred_at),
        time_zone_data=TIME_ZONE_DATA,
        cause=order.cause,
        cup_kind=order.cup_kind,
    )


def same_contents(order: PostTransfer, earlier: TransferPosted) -> bool:
    """Whether a repeat means the same; when and why it was reported may differ."""
    return _contents(order) == _contents(earlier)


def _contents(order: PostTransfer | TransferPosted) -> tuple[object, ...]:
    return (
        order.asset,
        order.cup_kind,
        order.debit,
        order.credit,
        order.amount,
        order.reason,
        order.occurred_at,
    )
