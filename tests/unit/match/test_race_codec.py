"""Events of races as they are stored."""

from __future__ import annotations

from typing import Any, get_args
from uuid import UUID

import pytest

from libs.eventsourcing.envelope import EVENT_BYTES_MAX, Part, RecordedEvent
from libs.rules.solitaire.board import Closed, Covered
from libs.rules.tiles import Face
from services.match.domain.race import events as ev
from services.match.domain.race.dealing import deal_race
from services.match.domain.race.settings import DEFAULTS, Difficulty, Settings
from services.match.domain.race.terms import (
    CpuLevel,
    EndReason,
    FinishClass,
    RaceSeat,
    RatingChange,
    SeatEnd,
)
from services.match.wire.race_codec import TYPES, RaceCodec
from tests.support.attempts import ANA, BEN, after
from tests.support.golden_events import stored_files
from tests.support.race_table import GROUP, RACE

CHOSEN = Settings(Difficulty.HARD, True, None, 60, 0, True, 60, 30)
DEALT = ev.RaceDealt(
    RACE,
    GROUP,
    CHOSEN,
    False,
    (RaceSeat(ANA, None, 1), RaceSeat(None, CpuLevel.HARD, 0)),
    tuple(
        deal_race(CHOSEN, each, bytes([3] * 32), bytes(32)) for each in (Difficulty.START, Difficulty.HARD)
    ),
    bytes(32),
    after(0),
)
EVENTS: tuple[ev.Event, ...] = (
    DEALT,
    ev.RaceStarted(after(1)),
    ev.ClockPaused(after(2), after(5), after(5)),
    ev.RacePairRemoved(1, 2, 3, True, after(3)),
    ev.RaceTileTouched(0, 4, Covered((1, 2)), False, after(4)),
    ev.RaceTileTouched(0, 4, Closed((1,), (2, 3)), False, after(4)),
    ev.RaceTileTouched(0, 4, None, True, after(4)),
    ev.RaceBoardShuffled(0, (Face("1m"), Face("Fl2")), 0b101, True, True, after(5)),
    ev.RaceHintShown(0, 1, 2, False, after(5)),
    ev.RaceSeatGaveUp(1, after(6)),
    ev.RaceSeatAway(1, after(6)),
    ev.RaceSeatBack(1, after(7)),
    ev.RaceEnded(
        RACE,
        None,
        EndReason.TIME,
        True,
        (ANA, BEN),
        (
            SeatEnd(1, FinishClass.WITHIN_LIMIT, 12_345, 0, False, RatingChange(0, 1_520, 25.3, 7.5)),
            SeatEnd(2, FinishClass.GIVEN_UP, None, 12, True, RatingChange(1_500, 1_480, 24.6, 7.1)),
        ),
        after(9),
    ),
)
OWN = {name for _part, name in TYPES.values()}
CORPUS = [content for _path, content in stored_files() if content["type"] in OWN]


def _recorded(type_: str, version: int, part: Part, data: bytes, event: Any) -> RecordedEvent:
    at = after(5) if event is None else event.occurred_at
    return RecordedEvent(UUID(int=1), 1, part, type_, version, at, at, ANA, None, 0, data)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_is_read_as_it_was_written(event: ev.Event) -> None:
    """Encoding and decoding lose nothing; the instant stands in the envelope."""
    part, type_, version, data = RaceCodec().encode(event)

    assert RaceCodec().decode(_recorded(type_, version, part, data, event)) == event


@pytest.mark.parametrize("stored", CORPUS, ids=lambda stored: stored["type"])
def test_events_of_every_release_are_read(stored: dict[str, Any]) -> None:
    """What any release has written is an event of today."""
    data = bytes.fromhex(stored["data"])
    recorded = _recorded(stored["type"], stored["schema_version"], Part.MOVES, data, None)

    assert TYPES[type(RaceCodec().decode(recorded))][1] == stored["type"]


def test_every_event_has_a_type_and_only_the_end_is_a_fact_for_others() -> None:
    """The type decides the part."""
    assert set(TYPES) == {kind for kind in get_args(ev.Event) if isinstance(kind, type)}
    assert [kind for kind, (part, _name) in TYPES.items() if part is Part.FACTS] == [ev.RaceEnded]


def test_the_largest_deals_fit_an_event() -> None:
    """Four boards of the largest sizes, and twenty seats."""
    deals = tuple(deal_race(CHOSEN, each, bytes([5] * 32), bytes(32)) for each in Difficulty)
    seats = tuple(RaceSeat(UUID(int=n), None, 0) for n in range(20))
    dealt = ev.RaceDealt(RACE, GROUP, DEFAULTS, False, seats, deals, bytes(32), after(0))

    assert len(RaceCodec().encode(dealt)[3]) <= EVENT_BYTES_MAX
