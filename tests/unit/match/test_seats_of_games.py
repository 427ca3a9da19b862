"""Who sits in a game, by the fact that it began with: whom a player may report about it."""

from __future__ import annotations

from uuid import UUID

import pytest

from libs.eventsourcing.envelope import Part, RecordedEvent
from services.match.domain.pool.events import PoolDealt
from services.match.domain.pool.terms import LIMIT, PoolTerms
from services.match.domain.race.dealing import deal_race
from services.match.domain.race.events import RaceDealt
from services.match.domain.race.settings import DEFAULTS
from services.match.domain.race.terms import CpuLevel, RaceSeat
from services.match.domain.rivals.match_events import MatchCreated
from services.match.wire.event_codec import EventCodec
from services.match.wire.fair_play import seated
from services.match.wire.pool_codec import PoolCodec
from services.match.wire.race_codec import RaceCodec
from services.match.wire.round_codec import encoded
from tests.support.attempts import ANA, BEN, ROW, after, started
from tests.support.pools import pool_deal, row

GAME = UUID(int=7)
Stored = tuple[Part, str, int, bytes]
RACE_DEAL = deal_race(DEFAULTS, DEFAULTS.difficulty, bytes(32), bytes(32))
RACE = RaceDealt(
    GAME,
    None,
    DEFAULTS,
    False,
    (RaceSeat(ANA, None, 0), RaceSeat(BEN, None, 0), RaceSeat(None, CpuLevel.EASY, 0)),
    (RACE_DEAL,),
    bytes(32),
    after(0),
)
POOL = PoolDealt(PoolTerms((ANA, BEN), 100, LIMIT), pool_deal(row(4), "B1 B1 B2 B2"), after(0))


def _first(stored: Stored) -> RecordedEvent:
    part, name, version, data = stored
    return RecordedEvent(GAME, 1, part, name, version, after(0), after(0), ANA, None, 1, data)


@pytest.mark.parametrize(
    ("stored", "players"),
    [
        (EventCodec().encode(started(ROW, "B1 B1 B2 B2")), {ANA}),
        (encoded(MatchCreated("quick_match", (ANA, BEN), GAME, after(0))), {ANA, BEN}),
        (encoded(MatchCreated("arena", (ANA, BEN), GAME, after(0))), {ANA, BEN}),
        (RaceCodec().encode(RACE), {ANA, BEN}),
        (PoolCodec().encode(POOL), {ANA, BEN}),
    ],
    ids=["level", "quick match", "arena", "race", "pool"],
)
def test_the_first_fact_of_every_mode_says_who_sits_there(stored: Stored, players: set[UUID]) -> None:
    """The persons; CPU players are nobody to be reported."""
    assert seated(_first(stored)) == players


def test_nobody_sits_where_no_game_is() -> None:
    """Neither in an unknown match nor in a stream that is no game."""
    part, _name, version, data = EventCodec().encode(started(ROW, "B1 B1 B2 B2"))

    assert seated(None) == frozenset()
    assert seated(_first((part, "sparrow.match.match_round_ended.v1", version, data))) == frozenset()
