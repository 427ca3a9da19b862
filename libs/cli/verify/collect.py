"""The events of one match of rounds out of the match service's feeds, which any operator may read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Protocol
from uuid import UUID

from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent
from libs.eventsourcing.ids import birth_of
from services.match.domain.rivals.match_events import MatchCreated, MatchEnd, MatchRoundEnded
from services.match.wire.match_codec import decode_match_fact
from services.match.wire.round_codec import RoundCodec

SKEW: Final = timedelta(seconds=5)
LATE: Final = timedelta(minutes=1)
"""How much later than it was stored an event may have been sequenced and still be found."""


class Feeds(Protocol):
    """Reads feeds: an operator's client, or a stand-in."""

    async def read_feed(
        self, service: str, part: Part, from_sequence: int, page_size: int = 0
    ) -> tuple[list[FeedEntry], int]:
        """Return entries from a sequence on and the end of the feed."""
        ...


@dataclass(frozen=True)
class Collected:
    """Facts of the match stream, and each round's events with their versions, as far as they exist."""

    facts: tuple[Any, ...]
    rounds: tuple[tuple[tuple[int, Any], ...], ...]

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return any(isinstance(fact, MatchEnd) for fact in self.facts)


async def collect(feeds: Feeds, match_id: UUID) -> Collected:
    """Read a match, from its birth to its end. Without facts no match of several seats has this id."""
    born_at = birth_of(match_id)
    facts, until = await _facts(feeds, match_id, born_at)
    found: dict[UUID, list[RecordedEvent]] = {round_id: [] for round_id in _rounds_of(facts)}
    for part in (Part.FACTS, Part.MOVES) if found and until is not None else ():
        async for entry in entries_since(feeds, part, born_at - SKEW):
            if until is not None and entry.at > until:
                break
            if entry.event.stream_id in found:
                found[entry.event.stream_id].append(entry.event)
    codec = RoundCodec()
    rounds = (sorted(events, key=lambda event: event.version) for events in found.values())
    return Collected(
        tuple(facts),
        tuple(tuple((event.version, codec.decode(event)) for event in events) for events in rounds),
    )


def _rounds_of(facts: list[Any]) -> list[UUID]:
    """The rounds of a match in their order."""
    first = [fact.round_id for fact in facts if isinstance(fact, MatchCreated)]
    later = [fact.next_round_id for fact in facts if isinstance(fact, MatchRoundEnded)]
    return [*first, *(round_id for round_id in later if round_id is not None)]


async def _facts(feeds: Feeds, match_id: UUID, born_at: datetime) -> tuple[list[Any], datetime | None]:
    """The facts of the match stream, and until when the events of one that is over may have come."""
    facts: list[Any] = []
    async for entry in entries_since(feeds, Part.FACTS, born_at - SKEW):
        if entry.event.stream_id == match_id:
            fact = decode_match_fact(entry.event)
            if fact is None:  # a game of a mode without rounds
                continue
            facts.append(fact)
            if isinstance(fact, MatchEnd):
                return facts, entry.at + LATE
        elif not facts and entry.at > born_at + LATE:
            break  # its creation would have come by now
    return facts, None


async def entries_since(
    feeds: Feeds, part: Part, since: datetime, service: str = "match"
) -> AsyncIterator[FeedEntry]:
    """The entries of a feed since an instant; the first is found by halving, because `at` never falls."""
    _, end = await feeds.read_feed(service, part, 1, page_size=1)
    low, high = 1, end + 1
    while low < high:
        middle = (low + high) // 2
        entries, _ = await feeds.read_feed(service, part, middle, page_size=1)
        if entries and entries[0].at < since:
            low = middle + 1
        else:
            high = middle
    while low <= end:
        entries, end = await feeds.read_feed(service, part, low, page_size=1_000)
        for entry in entries:
            yield entry
        low += len(entries)
