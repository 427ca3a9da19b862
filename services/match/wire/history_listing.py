"""Races and games of the pool in histories: whose they are, their stories, and what lists say of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from libs.eventsourcing.envelope import RecordedEvent
from libs.pb.sparrow.match.v1 import history_pb2 as pb
from services.match.domain.history.pools import PoolStory, pool_story
from services.match.domain.history.races import RaceStory, race_story
from services.match.domain.pool.events import PoolDealRevealed, PoolDealt, PoolEnded
from services.match.domain.race.events import RaceDealt, RaceEnded
from services.match.wire.history_pools import played_pool
from services.match.wire.history_races import played_race
from services.match.wire.pool_codec import TYPES as POOL_TYPES
from services.match.wire.pool_codec import PoolCodec
from services.match.wire.race_codec import TYPES as RACE_TYPES
from services.match.wire.race_codec import RaceCodec

RACE: Final = "race"
POOL: Final = "pool"
RACE_ENDED: Final = RACE_TYPES[RaceEnded][1]
POOL_ENDED: Final = POOL_TYPES[PoolEnded][1]
_KINDS: Final = {RACE_TYPES[RaceDealt][1]: RACE, POOL_TYPES[PoolDealt][1]: POOL}
_LAST: Final = frozenset({RACE_ENDED, POOL_TYPES[PoolDealRevealed][1]})


def kind_of(recorded: Sequence[RecordedEvent]) -> str | None:
    """Whether a stream is a race or a game of the pool; None for anything else."""
    return _KINDS.get(recorded[0].type) if recorded else None


def accounts_of(recorded: Sequence[RecordedEvent]) -> frozenset[UUID]:
    """Who has a seat in a race or a game of the pool."""
    if kind_of(recorded) == RACE:
        dealt = RaceCodec().decode(recorded[0])
        assert isinstance(dealt, RaceDealt)
        return frozenset(seat.account_id for seat in dealt.seats if seat.account_id is not None)
    made = PoolCodec().decode(recorded[0])
    assert isinstance(made, PoolDealt)
    return frozenset(made.terms.accounts)


def is_over(recorded: Sequence[RecordedEvent]) -> bool:
    """Whether a race or a game of the pool has ended."""
    return recorded[-1].type in _LAST


def story_of(recorded: Sequence[RecordedEvent]) -> RaceStory | PoolStory:
    """The story of a race or a game of the pool that is over."""
    if kind_of(recorded) == RACE:
        races = RaceCodec()
        return race_story(races.decode(event) for event in recorded)
    pools = PoolCodec()
    return pool_story(pools.decode(event) for event in recorded)


def listed_by(recorded: Sequence[RecordedEvent]) -> dict[UUID, bytes]:
    """What the list of each person who played says, as bytes of a PlayedGame."""
    story, game_id = story_of(recorded), recorded[0].stream_id
    told = {
        account: played_race(game_id, story.over, account)
        if isinstance(story, RaceStory)
        else played_pool(game_id, story.game, account)
        for account in accounts_of(recorded)
    }
    return {account: each.SerializeToString() for account, each in told.items()}


def played_game(told: bytes) -> pb.PlayedGame:
    """What was entered."""
    return pb.PlayedGame.FromString(told)
