"""Playing the same players again: who has said what to a rematch, and what comes of it.

A game that strangers or friends have played offers one to its players for a while. Two who both want it have
it at once; of more, all who said yes play when nobody is left to answer or the time is over, two at least.
Whoever had no person as opponent plays again alone.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

OFFERED_FOR: Final = timedelta(seconds=30)
"""From the end of the match: an answer at or after the end of this is too late."""
SEATS_MIN: Final = 2

K = TypeVar("K")


class Answer(StrEnum):
    """What a player said, or why the player is left out."""

    NONE = "none"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    ELSEWHERE = "elsewhere"
    """Accepted, but played or waited elsewhere when it began."""


class Outcome(StrEnum):
    """What came of an offer."""

    OPEN = "open"
    BEGUN = "begun"
    DECLINED = "declined"
    """So many said no that too few are left."""
    EXPIRED = "expired"
    """Too few said yes in time."""
    ELSEWHERE = "elsewhere"
    """Enough said yes, and too few of them were free when it was to begin."""


class RematchRefusal(StrEnum):
    """Reasons of the error table, in order of precedence."""

    NOT_FOUND = "NOT_FOUND"
    """The match offers none: not over, over for more than a day, or of a kind that has none."""
    NOT_YOURS = "NOT_YOURS"
    """The caller has not played the match."""
    REMATCH_OVER = "REMATCH_OVER"
    """It has begun, or will not come about any more."""
    ALREADY_SEATED = "ALREADY_SEATED"
    """The caller plays a match that is not over."""
    ALREADY_QUEUED = "ALREADY_QUEUED"
    """A ticket of the caller's waits."""


@dataclass(frozen=True, slots=True)
class Rematch(Generic[K]):
    """The offer of one match; everything by its seats."""

    match_id: UUID
    kind: K
    """What was played, and will be."""
    accounts: tuple[UUID, ...]
    answers: tuple[Answer, ...]
    expires_at: datetime
    outcome: Outcome = Outcome.OPEN
    next_match_id: UUID | None = None
    version: int = 1
    """Counts the changes."""

    @property
    def accepted(self) -> tuple[UUID, ...]:
        """Who wants it, by seat."""
        said = zip(self.accounts, self.answers, strict=True)
        return tuple(account_id for account_id, answer in said if answer is Answer.ACCEPTED)

    @property
    def needed(self) -> int:
        """How many must want it, and be free."""
        return min(SEATS_MIN, len(self.accounts))


def offered_until(ended_at: datetime) -> datetime:
    """Until when a match that ended then offers a rematch."""
    return ended_at + OFFERED_FOR


def offer(match_id: UUID, kind: K, accounts: tuple[UUID, ...], ended_at: datetime) -> Rematch[K]:
    """The offer of a match that these accounts have played."""
    return Rematch(match_id, kind, accounts, (Answer.NONE,) * len(accounts), offered_until(ended_at))


def settle(rematch: Rematch[K], now: datetime) -> Rematch[K]:
    """The offer as it stands at `now`: too few in time, and it has expired."""
    is_late = rematch.outcome is Outcome.OPEN and now >= rematch.expires_at
    return replace(rematch, outcome=Outcome.EXPIRED) if is_late and not is_due(rematch, now) else rematch


def answer(rematch: Rematch[K], account_id: UUID, said: Answer, now: datetime) -> Rematch[K] | RematchRefusal:
    """The offer after an answer; whoever accepted may think again until it begins."""
    if account_id not in rematch.accounts:
        return RematchRefusal.NOT_YOURS
    if rematch.outcome is not Outcome.OPEN or now >= rematch.expires_at:
        return RematchRefusal.REMATCH_OVER
    seat = rematch.accounts.index(account_id)
    answers = (*rematch.answers[:seat], said, *rematch.answers[seat + 1 :])
    if answers == rematch.answers:
        return rematch
    may_come = sum(each is not Answer.DECLINED for each in answers)
    outcome = Outcome.OPEN if may_come >= rematch.needed else Outcome.DECLINED
    return replace(rematch, answers=answers, outcome=outcome, version=rematch.version + 1)


def is_due(rematch: Rematch[Any], now: datetime) -> bool:
    """Whether it begins now: enough want it, and nobody's answer is waited for any more."""
    is_decided = Answer.NONE not in rematch.answers or now >= rematch.expires_at
    return rematch.outcome is Outcome.OPEN and is_decided and len(rematch.accepted) >= rematch.needed


def seated(rematch: Rematch[K], free: Collection[UUID], next_match_id: UUID) -> Rematch[K]:
    """The offer after its beginning with those who were free; with too few of them there is no match."""
    answers = tuple(
        Answer.ELSEWHERE if said is Answer.ACCEPTED and account_id not in free else said
        for account_id, said in zip(rematch.accounts, rematch.answers, strict=True)
    )
    begun = replace(rematch, answers=answers, version=rematch.version + 1)
    if len(free) < rematch.needed:
        return replace(begun, outcome=Outcome.ELSEWHERE)
    return replace(begun, outcome=Outcome.BEGUN, next_match_id=next_match_id)
