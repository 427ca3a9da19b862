"""How past facts change a tournament. Never refuses."""

from __future__ import annotations

from dataclasses import replace

from services.tournament.domain.tournament.events import (
    Event,
    PlayerRegistered,
    PlayerWithdrew,
    PrizesAwarded,
    PrizesRevoked,
    RegistrationOpened,
    ResultVoided,
    RoundEnded,
    RoundSeated,
    StandingCorrected,
    TablePlayed,
    TournamentCancelled,
    TournamentClosing,
    TournamentFinished,
    TournamentScheduled,
    TournamentStarted,
)
from services.tournament.domain.tournament.state import (
    Break,
    Cancelled,
    Counting,
    Entrant,
    Existing,
    Field,
    Finished,
    NotScheduled,
    Playing,
    Registering,
    RoundRow,
    Scheduled,
    Starting,
    State,
    TableRow,
)


def initial() -> State:
    """A stream without facts."""
    return NotScheduled()


def evolve(state: State, event: Event) -> State:
    """The state after a past fact."""
    if isinstance(event, TournamentScheduled):
        return Scheduled(Field(event.plan, {}, {}, {}, event.occurred_at))
    assert not isinstance(state, NotScheduled), "it is scheduled first"
    field = replace(state.field, last_at=event.occurred_at)
    changed = _field_changed(field, event, is_open=isinstance(state, Registering))
    if changed is not None:
        return replace(state, field=changed)
    return _next_shape(state, field, event)


def _field_changed(field: Field, event: Event, *, is_open: bool) -> Field | None:
    """What a fact changes that leaves the shape as it is; None for the others."""
    match event:
        case PlayerRegistered() | PlayerWithdrew():
            return _entered(field, event, is_open=is_open)
        case TablePlayed():
            return _table_played(field, event)
        case ResultVoided():
            return _voided(field, event)
        case _:
            return None


def _next_shape(state: Existing, field: Field, event: Event) -> Existing:
    match event:
        case RegistrationOpened():
            return Registering(field)
        case TournamentStarted(seed=seed):
            return Starting(field, seed)
        case RoundSeated(number=number, multiplier=multiplier, tables=tables):
            seated = RoundRow(number, multiplier, tuple(map(TableRow, tables)))
            return Playing(replace(field, rounds=(*field.rounds, seated)))
        case RoundEnded(next_at=next_at):
            return Break(field, next_at)
        case TournamentClosing(reason=reason):
            return Counting(field, reason)
        case TournamentFinished(reason=reason, standing=standing):
            return Finished(field, reason, event.occurred_at, standing)
        case TournamentCancelled(reason=cancelling):
            return Cancelled(field, cancelling)
        case _:
            assert isinstance(state, Finished), "prizes come after the end"
            return _paid(replace(state, field=field), event)


def _entered(field: Field, event: PlayerRegistered | PlayerWithdrew, *, is_open: bool) -> Field:
    entrants = dict(field.entrants)
    if isinstance(event, PlayerRegistered):
        entrants[event.player] = Entrant(event.account_id, event.occurred_at)
        entered = {**field.entered, event.account_id: field.entered.get(event.account_id, 0) + 1}
        return replace(field, entrants=entrants, registrations=event.player, entered=entered)
    if is_open:
        del entrants[event.player]
    else:
        entrants[event.player] = replace(entrants[event.player], withdrawn=True)
    return replace(field, entrants=entrants)


def _table_played(field: Field, event: TablePlayed) -> Field:
    row = field.rounds[event.round_number - 1].tables[event.table]
    tallies = {
        **field.tallies,
        **{end.player: field.tally_of(end.player).with_end(end) for end in event.ends},
    }
    played = replace(row, ends=event.ends, ended_at=event.ended_at, is_cut=event.is_cut)
    return _with_row(replace(field, tallies=tallies), event, played)


def _voided(field: Field, event: ResultVoided) -> Field:
    row = field.rounds[event.round_number - 1].tables[event.table]
    ended_at = event.occurred_at if row.ended_at is None else row.ended_at
    out = [end for end in row.ends or () if end.player in event.players]
    tallies = {
        **field.tallies,
        **{end.player: field.tally_of(end.player).with_end(end, -1) for end in out},
    }
    voided = replace(row, voided=row.voided.union(event.players), ended_at=ended_at)
    return _with_row(replace(field, tallies=tallies), event, voided)


def _with_row(field: Field, event: TablePlayed | ResultVoided, row: TableRow) -> Field:
    number = event.round_number - 1
    played = field.rounds[number]
    tables = (*played.tables[: event.table], row, *played.tables[event.table + 1 :])
    rounds = (*field.rounds[:number], replace(played, tables=tables), *field.rounds[number + 1 :])
    return replace(field, rounds=rounds)


def _paid(state: Finished, event: Event) -> Finished:
    match event:
        case PrizesAwarded(awards=awards):
            made = max(award.number for award in awards)
            return replace(state, awards=(*state.awards, *awards), awards_made=made)
        case PrizesRevoked(awards=awards):
            return replace(state, awards=tuple(each for each in state.awards if each not in awards))
        case StandingCorrected(standing=standing):
            return replace(state, standing=standing)
        case _:
            raise AssertionError(f"{type(event).__name__} is no fact of a tournament that goes on")
