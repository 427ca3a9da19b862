"""The daily bonus: streaks of Romanian days, what they pay, and doubling. The day is the only unit of time.

Claimed once per Romanian day. Days 1 to 10 in a row pay 10, 20 … 100 points, every further one 100; each
tenth one brings a joker. A missed day starts again at day 1. One doubling, on the day of the claim, pays the
points again, not the joker.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from services.ledger.assets import HOUSE_JOKERS, HOUSE_POINTS, Asset, player_account
from services.ledger.commands import PostTransfer
from services.ledger.domain.calendar import ONE_DAY

POINTS_STEP: Final = 10
POINTS_MAX: Final = 100
JOKER_EVERY_DAYS: Final = 10


class BonusRefusal(StrEnum):
    """Why a bonus is not paid."""

    ALREADY_CLAIMED = "ALREADY_CLAIMED"
    NOTHING_TO_DOUBLE = "NOTHING_TO_DOUBLE"
    ALREADY_DOUBLED = "ALREADY_DOUBLED"
    RECEIPT_INVALID = "RECEIPT_INVALID"


@dataclass(frozen=True, slots=True)
class NeverClaimed:
    """The player has not claimed any bonus yet."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """The last claim: its day, how many days in a row it ends, and whether it was doubled."""

    day: date
    streak: int
    is_doubled: bool = False


BonusState = NeverClaimed | Claimed


@dataclass(frozen=True, slots=True)
class Standing:
    """What a player may know on a day."""

    streak: int  # days in a row up to today or yesterday; 0: none is running
    is_claimed: bool
    is_doubled: bool
    next_points: int
    next_joker: bool
    doubling_points: int  # 0: nothing to double now


def points_on(streak: int) -> int:
    """Return what the day `streak` (from 1) of a streak pays."""
    assert streak >= 1, f"day {streak} of a streak"
    return min(streak * POINTS_STEP, POINTS_MAX)


def brings_joker(streak: int) -> bool:
    """Whether the day `streak` of a streak brings a joker: each tenth one does."""
    return streak % JOKER_EVERY_DAYS == 0


def claim(state: BonusState, today: date) -> Claimed | BonusRefusal:
    """Claim today's bonus."""
    match state:
        case Claimed(day) if day >= today:  # later than today: the clock went back over midnight
            return BonusRefusal.ALREADY_CLAIMED
        case _:
            return Claimed(today, running_streak(state, today) + 1)


def double(state: BonusState, today: date) -> Claimed | BonusRefusal:
    """Double today's bonus: after midnight there is nothing left to double."""
    match state:
        case Claimed(day, _, True) if day == today:
            return BonusRefusal.ALREADY_DOUBLED
        case Claimed(day, streak, False) if day == today:
            return Claimed(day, streak, is_doubled=True)
        case _:
            return BonusRefusal.NOTHING_TO_DOUBLE


def running_streak(state: BonusState, today: date) -> int:
    """Return the days in a row that a claim of today or of tomorrow continues; 0 after a missed day."""
    match state:
        case Claimed(day, streak) if day >= today - ONE_DAY:
            return streak
        case _:
            return 0


def standing(state: BonusState, today: date) -> Standing:
    """Tell where the bonus stands on a day."""
    streak = running_streak(state, today)
    is_claimed = isinstance(state, Claimed) and state.day >= today
    is_doubled = isinstance(state, Claimed) and state.day >= today and state.is_doubled
    can_double = isinstance(double(state, today), Claimed)
    return Standing(
        streak=streak,
        is_claimed=is_claimed,
        is_doubled=is_doubled,
        next_points=points_on(streak + 1),
        next_joker=brings_joker(streak + 1),
        doubling_points=points_on(streak) if can_double else 0,
    )


def claim_orders(account: UUID, claimed: Claimed, now: datetime) -> tuple[PostTransfer, ...]:
    """Return what a claim pays: points, and a joker on each tenth day."""
    key = claim_key(account, claimed.day)
    points = _order(account, key, Asset.POINTS, points_on(claimed.streak), "DAILY_BONUS", now)
    if not brings_joker(claimed.streak):
        return (points,)
    return points, _order(account, f"{key}/joker", Asset.JOKER, 1, "JOKER_STREAK", now)


def doubling_orders(account: UUID, claimed: Claimed, now: datetime) -> tuple[PostTransfer, ...]:
    """Return what a doubling pays: the points again."""
    key = doubling_key(account, claimed.day)
    return (_order(account, key, Asset.POINTS, points_on(claimed.streak), "DAILY_BONUS_DOUBLED", now),)


def claim_key(account: UUID, day: date) -> str:
    """Return the key of a claim's points."""
    return f"daily/{account}/{day.isoformat()}"


def doubling_key(account: UUID, day: date) -> str:
    """Return the key of a doubling's points."""
    return f"{claim_key(account, day)}/double"


def _order(account: UUID, key: str, asset: Asset, amount: int, reason: str, now: datetime) -> PostTransfer:
    return PostTransfer(
        key=key,
        asset=asset,
        debit=HOUSE_JOKERS if asset is Asset.JOKER else HOUSE_POINTS,
        credit=player_account(account),
        amount=amount,
        reason=reason,
        occurred_at=now,
        recorded_at=now,
        cause="",
    )
