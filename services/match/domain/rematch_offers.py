"""Which matches offer a rematch when they are over, and to whom: quick matches, races of the queue, pools.

An arena has none, a race of a group has "another game" instead, and what came to nothing is not played again.
"""

from __future__ import annotations

from uuid import UUID

from libs.rules.pairing.rematch import SEATS_MIN, offer
from services.match.domain.pool.state import Dealt
from services.match.domain.pool.terms import PoolEnding
from services.match.domain.queueing import GameKind, Queue, Rematch
from services.match.domain.race.events import RaceEnded
from services.match.domain.rivals.stage import QUICK_MATCH
from services.match.domain.rivals.state import Over


def after_round(over: Over) -> Rematch | None:
    """The offer of a match whose round is over; private where the match was."""
    played = over.round
    if played.stage.mode != QUICK_MATCH:
        return None
    kind = GameKind(Queue.QUICK_MATCH, private=played.stage.private)
    return offer(played.match_id, kind, played.accounts, over.ended.occurred_at)


def after_race(ended: RaceEnded) -> Rematch | None:
    """The offer of a race that is over, to the persons in it."""
    persons = tuple(account_id for account_id in ended.accounts if account_id is not None)
    if ended.group_id is not None or len(persons) < SEATS_MIN:
        return None
    return offer(ended.race_id, GameKind(Queue.RACE), persons, ended.occurred_at)


def after_pool(game_id: UUID, state: Dealt) -> Rematch | None:
    """The offer of a pool match that was played, for the same stake, to those who paid it."""
    ended = state.ended
    if ended is None or state.terms.is_training or ended.ending is not PoolEnding.PLAYED:
        return None
    paid = tuple(seat.account_id for seat in state.seats if seat.plays)
    return offer(game_id, GameKind(Queue.POOL, stake=state.terms.stake), paid, ended.occurred_at)
