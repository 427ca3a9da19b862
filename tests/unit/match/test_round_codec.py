"""Stored bytes of rounds and matches: what is written is read back, and each type has its part."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from libs.eventsourcing.envelope import EVENT_BYTES_MAX, Part, RecordedEvent
from libs.pb.sparrow.match.v1 import round_event_pb2
from libs.rules.solitaire.board import Closed, Covered
from services.match.commands import GiveUpReason
from services.match.domain.rivals import events as ev
from services.match.domain.rivals.dealing import deal_round, lending_levels
from services.match.domain.rivals.match_events import (
    ArenaEnded,
    MatchCreated,
    MatchEvent,
    MatchRoundEnded,
    QuickMatchEnded,
    TournamentMatchEnded,
)
from services.match.domain.rivals.sequence import table_stage
from services.match.domain.rivals.stage import ARENA, TOURNAMENT, PlayedRound, Stage, TournamentStage
from services.match.domain.rivals.terms import (
    EndReason,
    OutReason,
    PairKind,
    Reveal,
    SeatEnd,
    Verdict,
    reveal_of,
)
from services.match.wire.match_codec import decode_match_fact
from services.match.wire.round_codec import TYPES, RoundCodec, encoded
from tests.support.attempts import ANA, BEN, NEXT, START, after
from tests.support.golden_events import stored_files
from tests.support.rounds import MATCH, apart, dealt

ENDS = (SeatEnd(1, 700, True, 0), SeatEnd(2, 100, False, 12))
FACES = "1m 1m 2m 2m"
SECOND = Stage(
    ARENA,
    number=2,
    rounds=3,
    countdown=timedelta(seconds=9, microseconds=876_543),
    left=(1,),
    earlier=(PlayedRound(EndReason.CLEARED, ENDS, Reveal(1, "egg", 4, bytes(32), bytes([7]) * 32)),),
    board_versions=(12, 1),
)
LAID_DOWN = TournamentStage(UUID(int=9), 3, timedelta(milliseconds=90_500), after(77))
EVENTS: tuple[ev.Event, ...] = (
    dealt(apart(4), FACES),
    dealt(apart(4), FACES, stage=Stage(ARENA, rounds=3)),
    dealt(apart(4), FACES, stage=SECOND),
    dealt(apart(4), FACES, stage=table_stage(LAID_DOWN)),
    ev.RoundStarted(after(1)),
    ev.ClockPaused(after(1), after(5), after(5)),
    ev.SeatLiftedTile(1, 3, None, after(6)),
    ev.SeatLiftedTile(1, 3, 0, after(6)),
    ev.SeatPutTileBack(0, 0, after(6)),
    ev.SeatTouchedNotSame(0, 2, after(6)),
    ev.SeatTouchedBlocked(0, 2, Covered((3, 4)), 0, after(6)),
    ev.SeatTouchedBlocked(1, 2, Closed((1,), (3,)), 200, after(6)),
    *(
        ev.SeatRemovedPair(1, 2, 0, kind, 200, 900, 1, 1, Verdict(True, False, 77, "k/1"), after(7))
        for kind in PairKind
    ),
    ev.JokerRequested(0, 1, 2, 3, after(8)),
    ev.JokerUsed(0, 1, 2, 3, 100, 1_000, after(8)),
    *(ev.JokerGivenUp(0, 2, reason, after(8)) for reason in GiveUpReason),
    *(ev.SeatWentOut(1, reason, after(9)) for reason in OutReason),
    *(ev.RoundEnded(reason, ENDS, after(9)) for reason in EndReason),
    ev.DealRevealed(1, "egg", 4, bytes(32), bytes(32), after(9)),
)

# As they are read back: what is left of each board stands in the round's own end.
TOLD = tuple(replace(end, tiles_left=0) for end in ENDS)
FACTS: tuple[MatchEvent, ...] = (
    MatchCreated("quick_match", (ANA, BEN), NEXT, after(1)),
    QuickMatchEnded(MATCH, (ANA, BEN), TOLD, (20, 0), after(9)),
    MatchRoundEnded(MATCH, NEXT, 2, EndReason.TIME, (ANA, BEN), TOLD, UUID(int=5), after(9)),
    MatchRoundEnded(MATCH, NEXT, 3, EndReason.ALL_OUT, (ANA, BEN), TOLD, None, after(9)),
    MatchCreated(TOURNAMENT, (ANA, BEN), NEXT, after(1), tournament=LAID_DOWN),
    *(
        TournamentMatchEnded(MATCH, UUID(int=9), 3, (ANA, BEN), TOLD, (True, False), cut, after(9))
        for cut in (False, True)
    ),
    ArenaEnded(MATCH, (ANA, BEN), (2, 1), (100, 500), ((100, 0), (300, 200)), (40, 80), after(9)),
)
OF_MATCHES = set(map(type, FACTS))
OF_ROUNDS = {name for kind, (_part, name) in TYPES.items() if kind not in OF_MATCHES}
CORPUS = [content for _path, content in stored_files() if content["type"] in OF_ROUNDS]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_is_read_back_as_it_was_written(event: ev.Event) -> None:
    """Instant and content, whatever the seat."""
    part, name, version, data = RoundCodec().encode(event)
    stored = RecordedEvent(
        MATCH, 1, part, name, version, event.occurred_at, event.occurred_at, ANA, None, 0, data
    )

    assert RoundCodec().decode(stored) == event


@pytest.mark.parametrize("stored", CORPUS, ids=lambda stored: stored["type"])
def test_events_of_every_release_are_read(stored: dict[str, Any]) -> None:
    """What any release has written is an event of today, at the instant in its envelope."""
    data, version = bytes.fromhex(stored["data"]), stored["schema_version"]
    recorded = RecordedEvent(
        MATCH, 1, Part.MOVES, stored["type"], version, after(5), after(5), ANA, None, 0, data
    )
    event = RoundCodec().decode(recorded)

    assert TYPES[type(event)][1] == stored["type"]
    assert event.occurred_at == after(5)


def test_every_event_of_a_round_is_tried() -> None:
    """No type is left out above."""
    assert {*map(type, EVENTS), *OF_MATCHES} == set(TYPES)


def test_results_are_facts_and_the_rest_are_moves() -> None:
    """What others act on, and what was promised to be laid open, stands in the small feed."""
    facts = {kind for kind, (part, _) in TYPES.items() if part is Part.FACTS}

    assert facts == {ev.RoundEnded, ev.DealRevealed, *OF_MATCHES}


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: type(fact).__name__)
def test_a_fact_of_a_match_is_read_back_as_it_was_written(fact: MatchEvent) -> None:
    """By seat."""
    part, name, version, data = encoded(fact)
    at = fact.occurred_at
    stored = RecordedEvent(MATCH, 1, part, name, version, at, at, ANA, None, 0, data)

    assert decode_match_fact(stored) == fact


def test_the_only_round_of_a_match_is_stored_as_it_always_was() -> None:
    """Quick matches of every release have the same bytes: nothing is told about stages."""
    message = round_event_pb2.RoundDealt.FromString(encoded(dealt(apart(4), FACES))[3])

    assert not message.mode
    assert {field.number for field, _value in message.ListFields()} <= set(range(1, 11))


def test_facts_of_a_match_are_written_by_seat() -> None:
    """The ledger reads accounts and points from one message."""
    created = encoded(MatchCreated("quick_match", (ANA, BEN), NEXT, START))
    ended = encoded(QuickMatchEnded(MATCH, (ANA, BEN), ENDS, (20, 0), START))

    assert str(ANA).encode() in created[3]
    assert ended[1] == "sparrow.match.quick_match_ended.v1"
    assert str(BEN).encode() in ended[3]


def test_the_largest_deal_fits_an_event() -> None:
    """Whatever level lends its recipe, up to 144 tiles."""
    levels = lending_levels(144)
    largest = max(
        (deal_round((level,), bytes(32), bytes(32)) for level in (levels[-1], 5_003, 8_003)),
        key=lambda deal: deal.layout.size,
    )
    played = PlayedRound(EndReason.TIME, ENDS * 2, reveal_of(largest))
    stage = Stage(ARENA, 3, 3, left=(0, 1, 2), earlier=(played, played), board_versions=(2_000,) * 4)
    data = encoded(ev.RoundDealt(MATCH, (ANA, BEN) * 2, largest, START, stage))[3]

    assert largest.layout.size == 144
    assert len(data) < EVENT_BYTES_MAX


def test_the_corpus_holds_every_type() -> None:
    """A new type comes with an example of its own."""
    assert {stored["type"] for stored in CORPUS} == OF_ROUNDS
    assert {content["type"] for _path, content in stored_files()} >= {name for _part, name in TYPES.values()}
