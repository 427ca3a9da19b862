"""What the page of a tournament shows: all that is laid down, what comes next, who stands where."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from services.tournament.domain.tournament.clocks import next_deadline
from services.tournament.domain.tournament.standing import MISSES_MAX, standing_of
from services.tournament.domain.tournament.state import (
    Break,
    Cancelled,
    Counting,
    Existing,
    Finished,
    Registering,
    Scheduled,
)
from services.tournament.domain.tournament.words import Cancelling, Ending, Plan, Player


class Status(StrEnum):
    """Where a tournament is in its life."""

    SCHEDULED = "scheduled"
    REGISTRATION = "registration"
    RUNNING = "running"
    COUNTING = "counting"
    """The end has come; the last tables report."""
    FINISHED = "finished"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class StandingRow:
    """A player's line of the standing."""

    place: int
    player: Player
    account_id: UUID
    points: int
    """TP."""
    withdrawn: bool
    dropped: bool
    """Missed too many rounds to be seated again."""


@dataclass(frozen=True, slots=True)
class NextRound:
    """A round that is to come."""

    number: int
    multiplier: int
    starts_at: datetime | None
    """None: when the one before is over."""


@dataclass(frozen=True, slots=True)
class Page:
    """A tournament as it is shown."""

    plan: Plan
    status: Status
    registered: int
    next_at: datetime | None
    """What the countdown counts to: opening, start, next round or end; None where time brings nothing."""
    round_number: int
    """The round that is played, or was last; 0 before the first."""
    next_rounds: tuple[NextRound, ...]
    standing: tuple[StandingRow, ...]
    """From the start on; empty before it."""
    ending: Ending | None
    cancelling: Cancelling | None


def page_of(state: Existing) -> Page:
    """The page as of the facts there are."""
    field = state.field
    return Page(
        plan=field.plan,
        status=_status(state),
        registered=len(field.entrants),
        next_at=next_deadline(state),
        round_number=len(field.rounds),
        next_rounds=_next_rounds(state),
        standing=_standing(state) if field.rounds else (),
        ending=state.reason if isinstance(state, Counting | Finished) else None,
        cancelling=state.reason if isinstance(state, Cancelled) else None,
    )


def _status(state: Existing) -> Status:
    match state:
        case Scheduled():
            return Status.SCHEDULED
        case Registering():
            return Status.REGISTRATION
        case Counting():
            return Status.COUNTING
        case Finished():
            return Status.FINISHED
        case Cancelled():
            return Status.CANCELLED
        case _:
            return Status.RUNNING


def _next_rounds(state: Existing) -> tuple[NextRound, ...]:
    if isinstance(state, Counting | Finished | Cancelled):
        return ()
    field, begins = state.field, None
    if isinstance(state, Break):
        begins = state.next_at
    elif not field.rounds:
        begins = field.plan.starts_at
    over = len(field.rounds)
    return tuple(
        NextRound(number, multiplier, begins if number == over + 1 else None)
        for number, multiplier in enumerate(field.terms.rounds, 1)
        if number > over
    )


def _standing(state: Existing) -> tuple[StandingRow, ...]:
    field = state.field
    return tuple(
        StandingRow(
            place=place,
            player=line.player,
            account_id=field.entrants[line.player].account_id,
            points=line.points,
            withdrawn=field.entrants[line.player].withdrawn,
            dropped=field.tally_of(line.player).misses >= MISSES_MAX,
        )
        for place, line in enumerate(standing_of(field), 1)
    )
