"""Registration and withdrawal."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from services.tournament.domain.calendar.weeks import Week, week_of
from services.tournament.domain.tournament.commands import Register, Withdraw
from services.tournament.domain.tournament.events import Event, PlayerRegistered, PlayerWithdrew
from services.tournament.domain.tournament.evolve import evolve
from services.tournament.domain.tournament.refusal import Refusal, TooFewPrizePoints
from services.tournament.domain.tournament.rounds import following
from services.tournament.domain.tournament.state import (
    Cancelled,
    Counting,
    Existing,
    Finished,
    NotScheduled,
    Registering,
    Scheduled,
)
from services.tournament.domain.tournament.terms import MAXIMUM, WeeklyPrizePoints

ENTRIES_MAX: Final = 5
"""How often an account may register for a tournament."""
REGISTRATIONS_MAX: Final = 2 * MAXIMUM
"""How many registrations a tournament takes in all, so that its stream stays within bounds."""


@dataclass(frozen=True, slots=True)
class NeedsPrizePoints:
    """Everything else lets the player in. Ask the ledger what prizes the player received in the week."""

    account_id: UUID
    week: Week


@dataclass(frozen=True, slots=True)
class PrizePoints:
    """The ledger's answer: points received as final tournament prizes by tournaments that finished in it."""

    account_id: UUID
    week: Week
    points: int


def register(
    command: Register, state: Existing, at: datetime, answer: PrizePoints | None
) -> list[Event] | Refusal | TooFewPrizePoints | NeedsPrizePoints:
    """Entering, once: who is in already stays, under the time of the first."""
    if (closed := _why_closed(state)) is not None:
        return closed
    field = state.field
    if field.player_of(command.account_id) is not None:
        return []
    if len(field.entrants) >= field.terms.maximum:
        return Refusal.TOURNAMENT_FULL
    if field.registrations >= REGISTRATIONS_MAX or field.entered.get(command.account_id, 0) >= ENTRIES_MAX:
        return Refusal.REGISTRATION_LIMIT
    prize_points = None
    if isinstance(field.terms.entry, WeeklyPrizePoints):
        week = week_of(at)
        if answer is None or (answer.account_id, answer.week) != (command.account_id, week):
            return NeedsPrizePoints(command.account_id, week)
        if answer.points < field.terms.entry.points:
            return TooFewPrizePoints(answer.points, field.terms.entry.points)
        prize_points = answer.points
    return [PlayerRegistered(field.registrations + 1, command.account_id, prize_points, at)]


def withdraw(command: Withdraw, state: Existing, at: datetime) -> list[Event] | Refusal:
    """Leaving: free before the start; after it TP and place stay. The table that is played goes on."""
    if isinstance(state, Cancelled):
        return Refusal.TOURNAMENT_CANCELLED
    if isinstance(state, Counting | Finished):
        return Refusal.TOURNAMENT_OVER
    player = state.field.player_of(command.account_id)
    if player is None:
        return Refusal.NOT_REGISTERED
    if state.field.entrants[player].withdrawn:
        return []
    withdrew = PlayerWithdrew(player, command.account_id, at)
    after = evolve(state, withdrew)
    assert not isinstance(after, NotScheduled), "it was scheduled"
    return [withdrew, *following(after, at)]


def _why_closed(state: Existing) -> Refusal | None:
    match state:
        case Registering():
            return None
        case Scheduled():
            return Refusal.REGISTRATION_NOT_OPEN
        case Cancelled():
            return Refusal.TOURNAMENT_CANCELLED
        case Counting() | Finished():
            return Refusal.TOURNAMENT_OVER
        case _:
            return Refusal.REGISTRATION_CLOSED
