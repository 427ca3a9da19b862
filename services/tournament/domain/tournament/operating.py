"""What operators may do to a tournament, and what follows from it."""

from __future__ import annotations

from datetime import datetime

from services.tournament.domain.tournament.commands import CancelTournament, EndEarly, VoidResult
from services.tournament.domain.tournament.events import Event, ResultVoided, TournamentCancelled
from services.tournament.domain.tournament.evolve import evolve
from services.tournament.domain.tournament.refusal import Refusal
from services.tournament.domain.tournament.rounds import close, correction, following
from services.tournament.domain.tournament.state import (
    Break,
    Cancelled,
    Counting,
    Existing,
    Field,
    Finished,
    NotScheduled,
    Playing,
    TableRow,
)
from services.tournament.domain.tournament.words import Cancelling, Ending


def cancel(command: CancelTournament, state: Existing, at: datetime) -> list[Event] | Refusal:
    """One end, without prizes, whatever was played; a repeat changes nothing. What is paid stays paid."""
    if isinstance(state, Cancelled):
        return []
    if isinstance(state, Finished):
        return Refusal.TOURNAMENT_OVER
    return [TournamentCancelled(Cancelling.OPERATOR, command.ground, at)]


def end_early(command: EndEarly, state: Existing, at: datetime) -> list[Event] | Refusal:
    """The end as if its time had come: tables are cut and counted, prizes paid. A repeat changes nothing."""
    match state:
        case Playing() | Break():
            return close(state, Ending.OPERATOR, command.ground, at)
        case Counting() | Finished():
            return []
        case Cancelled():
            return Refusal.TOURNAMENT_CANCELLED
        case _:
            return Refusal.TOURNAMENT_NOT_RUNNING


def void(command: VoidResult, state: Existing, at: datetime) -> list[Event] | Refusal:
    """Results taken out of the standing; after the end the standing and its prizes are corrected."""
    if isinstance(state, Cancelled):
        return Refusal.TOURNAMENT_CANCELLED
    row = _row(state.field, command.round_number, command.table)
    if row is None:
        return Refusal.RESULT_UNKNOWN
    players = row.table.players if command.players is None else command.players
    if not players or not set(players) <= set(row.table.players):
        return Refusal.RESULT_UNKNOWN
    if row.ended_at is None and set(players) != set(row.table.players):
        return Refusal.RESULT_PENDING
    new = tuple(player for player in row.table.players if player in players and player not in row.voided)
    if not new:
        return []
    voided = ResultVoided(command.round_number, command.table, new, command.ground, at)
    after = evolve(state, voided)
    assert not isinstance(after, NotScheduled), "it was scheduled"
    return [voided, *(correction(after, at) if isinstance(after, Finished) else following(after, at))]


def _row(field: Field, round_number: int, table: int) -> TableRow | None:
    if not 1 <= round_number <= len(field.rounds):
        return None
    tables = field.rounds[round_number - 1].tables
    return tables[table] if 0 <= table < len(tables) else None
