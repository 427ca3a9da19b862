"""Facts of the pool as they are stored: each comes back as it was, and the golden ones stay readable."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.rules.tiles import Face
from libs.runtime.errors import Refused
from services.match.domain.pool import events as ev
from services.match.domain.pool.dealing import deal_pool
from services.match.domain.pool.terms import PoolEnding, PoolTerms, SeatEnding, SeatResult, StakeRefusal
from services.match.wire.pool_codec import TYPES, PoolCodec
from tests.support.attempts import ANA, BEN, after
from tests.support.pools import SEED

AT = after(5)
FACTS: list[ev.Event] = [
    ev.PoolDealt(PoolTerms((ANA, BEN), 100, timedelta(minutes=10)), deal_pool(SEED, SEED), AT),
    ev.StakePaid(1, AT),
    ev.StakeRefused(1, StakeRefusal.TOO_FEW_CHIPS, AT),
    ev.CountdownBegun(AT),
    ev.PoolStarted(AT),
    ev.ClockPaused(after(1), after(2), AT),
    ev.PoolPairRemoved(1, 3, 4, 216, -144, AT),
    ev.PoolPairUndone(1, 3, 4, 360, -720, AT),
    ev.PoolShuffled(1, (Face("1m"), Face("Se4")), 360, -720, AT),
    ev.PoolShuffleImpossible(1, AT),
    ev.PoolHintGiven(1, 3, 4, 360, -360, AT),
    ev.PoolSeatEnded(1, SeatEnding.LEFT, AT),
    ev.PoolEnded(
        PoolEnding.RESTARTED, (SeatResult(1, -5, SeatEnding.LEFT, after(4), 70, 0),), UUID(int=9), AT
    ),
    ev.PoolEnded(PoolEnding.PLAYED, (SeatResult(1, 5, SeatEnding.TIME, after(4), 70, 200),), None, AT),
    ev.PoolDealRevealed(1, "reeds", 42, SEED, SEED, AT),
]


def recorded(type_: str, data: bytes) -> RecordedEvent:
    """A stored event."""
    return RecordedEvent(
        stream_id=UUID(int=1),
        version=1,
        type=type_,
        schema_version=1,
        occurred_at=AT,
        recorded_at=AT,
        part=Part.MOVES,
        caller=ANA,
        request_id=None,
        request_events=0,
        data=data,
    )


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: type(fact).__name__)
def test_a_fact_comes_back_as_it_was_stored(fact: ev.Event) -> None:
    """Bytes and back."""
    _part, name, _version, data = PoolCodec().encode(fact)
    assert PoolCodec().decode(recorded(name, data)) == fact


def test_every_kind_of_fact_is_stored_and_ends_are_facts_for_others() -> None:
    """One type for each; the end and the reveal are in the part that is kept for ever."""
    assert {type(fact) for fact in FACTS} == set(TYPES)
    assert {kind for kind, (part, _name) in TYPES.items() if part is Part.FACTS} == {
        ev.PoolEnded,
        ev.PoolDealRevealed,
    }


def test_a_game_of_another_mode_is_refused_by_name() -> None:
    """NOT_IN_MODE."""
    with pytest.raises(Refused) as error:
        PoolCodec().decode(recorded("sparrow.match.round_dealt.v1", b""))
    assert error.value.reason == "NOT_IN_MODE"


def test_an_unknown_type_of_the_pool_is_an_error() -> None:
    """A type that no release has written is ours to explain, never skipped."""
    with pytest.raises(KeyError):
        PoolCodec().decode(recorded("sparrow.match.pool_unheard_of.v1", b""))
