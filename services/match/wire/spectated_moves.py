"""What seats did, on the wire for spectators. Nothing is told of what changes nothing that they see."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar
from uuid import UUID

from libs.pb.sparrow.match.v1 import spectate_pb2 as pb
from libs.pb.sparrow.solitaire.v1 import solitaire_pb2
from services.match.domain.pool import events as pool
from services.match.domain.pool import state as pool_state
from services.match.domain.race import events as race
from services.match.domain.race import state as race_state
from services.match.domain.rivals import events as rivals
from services.match.domain.rivals import state as rivals_state
from services.match.domain.rivals.terms import PairKind
from services.match.wire.boards import timestamp
from services.match.wire.round_codec import PAIR_KINDS
from services.match.wire.spectating import pool_message, race_message, round_message

E = TypeVar("E", rivals.Event, race.Event, pool.Event)
_UNSEEN = (rivals.JokerRequested, rivals.JokerGivenUp, pool.PoolShuffleImpossible, race.RaceTileTouched)
"""Facts that show nothing by themselves: jokers that are not decided, and touches that cost nothing."""


def round_update(events: Sequence[rivals.Event], state: rivals_state.Dealt) -> pb.SpectatedUpdate | None:
    """What the events of one command changed in a round; None where spectators see nothing of it."""
    count = len(state.round.accounts)
    return _update(events, count, _round_move, lambda seats: round_message(state, seats))


def race_update(events: Sequence[race.Event], state: race_state.Dealt) -> pb.SpectatedUpdate | None:
    """What the events of one command changed in a race; None where spectators see nothing of it."""
    count = len(state.race.seats)
    return _update(events, count, _race_move, lambda seats: race_message(state, seats))


def pool_update(
    match_id: UUID, events: Sequence[pool.Event], state: pool_state.Dealt
) -> pb.SpectatedUpdate | None:
    """What the events of one command changed in the pool; None where spectators see nothing of it."""
    count = len(state.seats)
    return _update(events, count, _pool_move, lambda seats: pool_message(match_id, state, seats))


def _update(
    events: Sequence[E],
    count: int,
    tell: Callable[[pb.SpectatedMove, E], None],
    after: Callable[[Collection[int]], pb.SpectatedMatch],
) -> pb.SpectatedUpdate | None:
    """The moves, and the match with the seats that made them; with all where more happened than moves."""
    if all(isinstance(event, _UNSEEN) for event in events):
        return None
    moves: list[pb.SpectatedMove] = []
    seats: set[int] = set()
    for event in events:
        seat: int | None = getattr(event, "seat", None)
        seats |= set(range(count)) if seat is None else {seat}
        if seat is not None:
            move = pb.SpectatedMove(seat=seat, time=timestamp(event.occurred_at))
            tell(move, event)
            moves.extend([move] if move.act else [])
    return pb.SpectatedUpdate(time=timestamp(events[-1].occurred_at), moves=moves, match=after(seats))


def _round_move(move: pb.SpectatedMove, event: rivals.Event) -> None:
    match event:
        case rivals.SeatLiftedTile(tile=tile):
            move.act, move.tile = pb.SPECTATE_ACT_LIFTED, tile
        case rivals.SeatPutTileBack(tile=tile):
            move.act, move.tile = pb.SPECTATE_ACT_PUT_BACK, tile
        case rivals.SeatTouchedNotSame(tile=tile):
            move.act, move.tile = pb.SPECTATE_ACT_NOT_SAME, tile
        case rivals.SeatTouchedBlocked(tile=tile):
            move.act, move.tile = pb.SPECTATE_ACT_BLOCKED, tile
        case rivals.SeatRemovedPair(first=first, second=second, kind=kind, worth=worth):
            move.act, move.worth, move.pair_kind = pb.SPECTATE_ACT_PAIRED, worth, PAIR_KINDS[kind]
            move.pair.CopyFrom(_pair(first, second))
        case rivals.JokerUsed(first=first, second=second, worth=worth):
            move.act, move.worth = pb.SPECTATE_ACT_JOKER, worth
            move.pair_kind = PAIR_KINDS[PairKind.JOKER]
            move.pair.CopyFrom(_pair(first, second))
        case rivals.SeatWentOut():
            move.act = pb.SPECTATE_ACT_OUT
        case _:
            pass


def _race_move(move: pb.SpectatedMove, event: race.Event) -> None:
    match event:
        case race.RacePairRemoved(first=first, second=second, by_cpu=by_cpu):
            move.act, move.by_cpu = pb.SPECTATE_ACT_PAIRED, by_cpu
            move.pair.CopyFrom(_pair(first, second))
        case race.RaceBoardShuffled(by_cpu=by_cpu):
            move.act, move.by_cpu = pb.SPECTATE_ACT_SHUFFLED, by_cpu
        case race.RaceHintShown(first=first, second=second, by_cpu=by_cpu):
            move.act, move.by_cpu = pb.SPECTATE_ACT_HINTED, by_cpu
            move.pair.CopyFrom(_pair(first, second))
        case race.RaceSeatGaveUp():
            move.act = pb.SPECTATE_ACT_OUT
        case race.RaceSeatAway():
            move.act = pb.SPECTATE_ACT_AWAY
        case race.RaceSeatBack():
            move.act = pb.SPECTATE_ACT_BACK
        case _:
            pass


def _pool_move(move: pb.SpectatedMove, event: pool.Event) -> None:
    match event:
        case pool.PoolPairRemoved(first=first, second=second, worth=worth):
            move.act, move.worth = pb.SPECTATE_ACT_PAIRED, worth
            move.pair.CopyFrom(_pair(first, second))
        case pool.PoolPairUndone(first=first, second=second, charge=charge):
            move.act, move.charge = pb.SPECTATE_ACT_UNDONE, charge
            move.pair.CopyFrom(_pair(first, second))
        case pool.PoolShuffled(charge=charge):
            move.act, move.charge = pb.SPECTATE_ACT_SHUFFLED, charge
        case pool.PoolHintGiven(first=first, second=second, charge=charge):
            move.act, move.charge = pb.SPECTATE_ACT_HINTED, charge
            move.pair.CopyFrom(_pair(first, second))
        case pool.PoolSeatEnded() | pool.StakeRefused():
            move.act = pb.SPECTATE_ACT_OUT
        case _:
            pass


def _pair(first: int, second: int) -> solitaire_pb2.TilePair:
    return solitaire_pb2.TilePair(first=first, second=second)
