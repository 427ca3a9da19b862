"""The kinds of game that can be watched: how a stream is folded, and how it is told to spectators."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeAlias, TypeVar
from uuid import UUID

from libs.eventsourcing.following import Kind
from libs.spectating.game import Game
from services.match.domain.pool import events as pool_events
from services.match.domain.pool import evolve as pool_evolution
from services.match.domain.pool import state as pool
from services.match.domain.pool.terms import Phase
from services.match.domain.race import events as race_events
from services.match.domain.race import evolve as race_evolution
from services.match.domain.race import state as race
from services.match.domain.rivals import events as round_events
from services.match.domain.rivals import evolve as round_evolution
from services.match.domain.rivals import state as rivals
from services.match.domain.rivals.clocks import clock_ms
from services.match.domain.spectating.modes import WatchedMode
from services.match.wire.pool_codec import PoolCodec
from services.match.wire.race_codec import RaceCodec
from services.match.wire.round_codec import RoundCodec
from services.match.wire.spectated_moves import pool_update, race_update, round_update
from services.match.wire.spectating import (
    SpectatedMatch,
    SpectatedUpdate,
    pool_message,
    race_message,
    round_message,
)

S = TypeVar("S")
E = TypeVar("E")
MatchGame: TypeAlias = Game[S, E, SpectatedMatch, SpectatedUpdate]


def _round_snapshot(_match_id: UUID, state: rivals.State) -> SpectatedMatch:
    assert not isinstance(state, rivals.NotDealt), "the deal comes first"
    return round_message(state)


def _round_update(
    _match_id: UUID, events: Sequence[round_events.Event], state: rivals.State
) -> SpectatedUpdate | None:
    assert not isinstance(state, rivals.NotDealt), "the deal comes first"
    return round_update(events, state)


def _round_ms(state: rivals.State, at: datetime) -> int:
    return 0 if isinstance(state, rivals.NotDealt) else clock_ms(state, at)


def _race_snapshot(_match_id: UUID, state: race.State) -> SpectatedMatch:
    assert not isinstance(state, race.NotDealt), "the deal comes first"
    return race_message(state)


def _race_update(
    _match_id: UUID, events: Sequence[race_events.Event], state: race.State
) -> SpectatedUpdate | None:
    assert not isinstance(state, race.NotDealt), "the deal comes first"
    return race_update(events, state)


def _race_ms(state: race.State, at: datetime) -> int:
    return 0 if isinstance(state, race.NotDealt) else race.elapsed_ms(state, at)


def _race_seats(event: race_events.Event) -> Sequence[UUID]:
    if not isinstance(event, race_events.RaceDealt):
        return ()
    return [seat.account_id for seat in event.seats if seat.account_id is not None]


def _pool_snapshot(match_id: UUID, state: pool.State) -> SpectatedMatch:
    assert isinstance(state, pool.Dealt), "the deal comes first"
    return pool_message(match_id, state)


def _pool_update(
    match_id: UUID, events: Sequence[pool_events.Event], state: pool.State
) -> SpectatedUpdate | None:
    assert isinstance(state, pool.Dealt), "the deal comes first"
    return pool_update(match_id, events, state)


def _pool_ms(state: pool.State, at: datetime) -> int:
    return state.clock_ms(at) if isinstance(state, pool.Dealt) else 0


ROUND: MatchGame[rivals.State, round_events.Event] = Game(
    Kind(round_evolution.initial, round_evolution.evolve, lambda state: isinstance(state, rivals.Over)),
    RoundCodec(),
    _round_snapshot,
    _round_update,
    _round_ms,
    lambda event: event.accounts if isinstance(event, round_events.RoundDealt) else (),
)
RACE: MatchGame[race.State, race_events.Event] = Game(
    Kind(race_evolution.initial, race_evolution.evolve, lambda state: isinstance(state, race.Over)),
    RaceCodec(),
    _race_snapshot,
    _race_update,
    _race_ms,
    _race_seats,
)
POOL: MatchGame[pool.State, pool_events.Event] = Game(
    Kind(
        pool_evolution.initial,
        pool_evolution.evolve,
        lambda state: isinstance(state, pool.Dealt) and state.phase is Phase.OVER,
    ),
    PoolCodec(),
    _pool_snapshot,
    _pool_update,
    _pool_ms,
    lambda event: event.terms.accounts if isinstance(event, pool_events.PoolDealt) else (),
)


def game_of(mode: WatchedMode) -> MatchGame[Any, Any]:
    """The kind of game that a mode's matches are made of."""
    match mode:
        case WatchedMode.RACE:
            return RACE
        case WatchedMode.POOL:
            return POOL
        case WatchedMode.QUICK_MATCH | WatchedMode.ARENA | WatchedMode.TOURNAMENT:
            return ROUND
