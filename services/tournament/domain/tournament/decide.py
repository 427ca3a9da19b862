"""What an order to a tournament brings about."""

from __future__ import annotations

from dataclasses import dataclass

from services.tournament.domain.tournament.clocks import due
from services.tournament.domain.tournament.commands import (
    CancelTournament,
    Command,
    EndEarly,
    Register,
    ReportTable,
    ScheduleTournament,
    VoidResult,
    Withdraw,
)
from services.tournament.domain.tournament.entering import NeedsPrizePoints, PrizePoints, register, withdraw
from services.tournament.domain.tournament.events import Event, TablePlayed, TournamentScheduled
from services.tournament.domain.tournament.evolve import evolve
from services.tournament.domain.tournament.operating import cancel, end_early, void
from services.tournament.domain.tournament.refusal import Refusal, TooFewPrizePoints
from services.tournament.domain.tournament.rounds import following
from services.tournament.domain.tournament.scoring import seat_ends
from services.tournament.domain.tournament.state import (
    Cancelled,
    Counting,
    Existing,
    NotScheduled,
    Playing,
    State,
)
from services.tournament.domain.tournament.terms import problem_of


@dataclass(frozen=True, slots=True)
class Unsettled:
    """Deadlines have passed. Settle the tournament first, then decide again."""


Question = Unsettled | NeedsPrizePoints
Decision = list[Event] | Refusal | TooFewPrizePoints | Question


def decide(command: Command, state: State, answer: PrizePoints | None = None) -> Decision:
    """The facts that an order brings about, why it changes nothing, or what must be found out first.

    A repeat of an order that was carried out brings no facts.
    """
    if isinstance(command, ScheduleTournament):
        return _schedule(command, state)
    if isinstance(state, NotScheduled):
        return Refusal.NOT_FOUND
    if due(state, command.at) is not None:
        return Unsettled()
    at = max(command.at, state.field.last_at)
    match command:
        case Register():
            return register(command, state, at, answer)
        case Withdraw():
            return withdraw(command, state, at)
        case ReportTable():
            return _report(command, state)
        case CancelTournament():
            return cancel(command, state, at)
        case EndEarly():
            return end_early(command, state, at)
        case VoidResult():
            return void(command, state, at)


def _schedule(command: ScheduleTournament, state: State) -> list[Event] | Refusal:
    """A plan may begin in the past: what is due of it is settled at once, in order."""
    if not isinstance(state, NotScheduled):
        return []
    if problem_of(command.plan.terms) is not None:
        return Refusal.FIELD_INVALID
    return [TournamentScheduled(command.plan, command.at)]


def _report(command: ReportTable, state: Existing) -> list[Event] | Refusal:
    """A table's end. It happened when its match says, not when that became known."""
    for played in state.field.rounds:
        for place, row in enumerate(played.tables):
            if row.table.match_id != command.match_id:
                continue
            if row.ended_at is not None or isinstance(state, Cancelled):
                return []
            assert isinstance(state, Playing | Counting), "tables are played in rounds"
            ends = seat_ends(row.table.players, command.results, played.multiplier)
            if ends is None or (command.is_cut and any(result.cleared for result in command.results)):
                return Refusal.FIELD_INVALID
            ended_at = min(command.ended_at, command.at)
            happened = max(ended_at, state.field.last_at)
            event = TablePlayed(
                played.number, place, command.match_id, ends, command.is_cut, ended_at, happened
            )
            after = evolve(state, event)
            assert isinstance(after, Playing | Counting), "a report ends no round by itself"
            return [event, *following(after, happened)]
    return Refusal.NOT_FOUND
