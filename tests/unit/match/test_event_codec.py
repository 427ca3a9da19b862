"""Events as they are stored."""

from __future__ import annotations

from datetime import datetime
from typing import Any, get_args
from uuid import UUID

import pytest

from libs.eventsourcing.envelope import EVENT_BYTES_MAX, Part, RecordedEvent
from libs.rules.solitaire import catalogue
from libs.rules.solitaire.board import Closed, Covered
from libs.rules.solitaire.levels import level_deal
from libs.runtime.errors import Refused
from services.match import events as ev
from services.match.commands import Deal, GiveUpReason
from services.match.domain.rivals.match_events import MatchCreated
from services.match.wire.event_codec import TYPES, EventCodec
from services.match.wire.round_codec import TYPES as MATCH_TYPES
from tests.support.attempts import ANA, LEVEL, NEXT, STACKS, after, started
from tests.support.golden_events import stored_files

EVENTS: tuple[ev.Event, ...] = (
    started(STACKS, "1m 2m 1m 2m"),
    ev.TileLifted(0, None, after(1)),
    ev.TileLifted(3, 0, after(1)),
    ev.TilePutBack(0, after(2)),
    ev.PairRemoved(0, 3, after(3)),
    ev.TouchNotSame(0, after(4)),
    ev.TouchBlocked(0, Covered((1, 2)), after(5)),
    ev.TouchBlocked(0, Closed((1,), (2, 3)), after(5)),
    ev.ClockPaused(after(2), after(5), after(5)),
    ev.JokerRequested(0, 1, 0, 3, after(5)),
    ev.JokerUsed(0, 1, 0, 3, 0, 0, after(5)),
    ev.JokerGivenUp(0, 2, GiveUpReason.NONE_OWNED, after(5)),
    ev.AttemptCleared(ANA, LEVEL, 1, 12_345_678_901, 3, 10, 5, after(6)),
    ev.AttemptLeft(ANA, LEVEL, after(7)),
    ev.AttemptRestarted(ANA, LEVEL, NEXT, after(8)),
)
OWN = {name for _part, name in TYPES.values()}
CORPUS = [content for _path, content in stored_files() if content["type"] in OWN]


def _recorded(type_: str, schema_version: int, part: Part, data: bytes, at: datetime) -> RecordedEvent:
    return RecordedEvent(UUID(int=1), 1, part, type_, schema_version, at, at, ANA, None, 0, data)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_is_read_as_it_was_written(event: ev.Event) -> None:
    """Encoding and decoding lose nothing; the instant stands in the envelope."""
    part, type_, schema_version, data = EventCodec().encode(event)

    assert EventCodec().decode(_recorded(type_, schema_version, part, data, event.occurred_at)) == event


@pytest.mark.parametrize("stored", CORPUS, ids=lambda stored: stored["type"])
def test_events_of_every_release_are_read(stored: dict[str, Any]) -> None:
    """What any release has written is an event of today, at the instant in its envelope."""
    data, version = bytes.fromhex(stored["data"]), stored["schema_version"]
    event = EventCodec().decode(_recorded(stored["type"], version, Part.MOVES, data, after(5)))

    assert TYPES[type(event)][1] == stored["type"]
    assert event.occurred_at == after(5)


def test_the_corpus_holds_every_type() -> None:
    """A new type comes with an example of its own."""
    assert {stored["type"] for stored in CORPUS} == {type_ for _part, type_ in TYPES.values()}


def test_every_event_has_a_type_and_only_endings_are_facts() -> None:
    """The table of types is complete; others act on how attempts end, not on moves."""
    assert set(TYPES) == set(get_args(ev.Event))
    facts = {event for event, (part, _type) in TYPES.items() if part is Part.FACTS}
    assert facts == {ev.AttemptCleared, ev.AttemptLeft, ev.AttemptRestarted}


def test_an_unknown_type_is_an_error() -> None:
    """A type that no release has written is ours to explain, never skipped."""
    with pytest.raises(KeyError):
        EventCodec().decode(_recorded("sparrow.match.unheard_of.v1", 1, Part.MOVES, b"", after(0)))


def test_a_match_that_began_while_somebody_looked_is_not_found_yet() -> None:
    """Where it was looked for as a match before it began, and as an attempt after it: ask again."""
    part, type_ = MATCH_TYPES[MatchCreated]

    with pytest.raises(Refused) as refused:
        EventCodec().decode(_recorded(type_, 1, part, b"", after(0)))
    assert refused.value.reason == "NOT_FOUND"


def test_the_largest_start_fits_into_an_event() -> None:
    """The start holds layout and faces, and an event is bounded."""
    largest = max(map(catalogue.layout, catalogue.layout_names()), key=lambda layout: layout.size)
    deal = Deal(11_000, 1, True, largest, "x" * 60, ("Dr",) * largest.size)  # type: ignore[arg-type]
    encoded = EventCodec().encode(ev.AttemptStarted(ANA, deal, after(0)))

    assert len(encoded[3]) < EVENT_BYTES_MAX / 2


def test_layouts_of_the_catalogue_are_one_object_in_all_attempts() -> None:
    """Their tables are computed once, not once per attempt."""
    dealt = level_deal(1)
    deal = Deal(1, 1, False, dealt.layout, "", dealt.faces)
    part, type_, version, data = EventCodec().encode(ev.AttemptStarted(ANA, deal, after(0)))
    decoded = EventCodec().decode(_recorded(type_, version, part, data, after(0)))

    assert isinstance(decoded, ev.AttemptStarted)
    assert decoded.deal.layout is dealt.layout
