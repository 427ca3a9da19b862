"""Whole MCR tables out of the two feeds of their service, each with its deals."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.cli.events.feeds import Feeds, range_between
from libs.cli.replay.log import LATE, Advance, entries_of, side_by_side
from libs.cli.verify.differing import Numbered
from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.eventsourcing.ids import birth_of
from services.mcr.domain.deal import events as deal_ev
from services.mcr.domain.session import events as ev
from services.mcr.wire.deal_codec import TYPES as DEAL_TYPES
from services.mcr.wire.deal_codec import DealCodec
from services.mcr.wire.table_codec import TYPES, TableCodec

_OPENED: Final = TYPES[ev.TableOpened][1]
_STARTED: Final = TYPES[ev.DealStarted][1]
_CLOSED: Final = TYPES[ev.TableClosed][1]
_DEALT: Final = DEAL_TYPES[deal_ev.DealDealt][1]
_LAST: Final = frozenset({_CLOSED, DEAL_TYPES[deal_ev.WallRevealed][1]})


@dataclass(frozen=True)
class FinishedTable:
    """A closed table: its facts and those of its deals, by version."""

    table_id: UUID
    facts: Numbered
    deals: Mapping[UUID, Numbered]


@dataclass
class Tables:
    """The tables opened from `since` on and before `until`; what is still open when the log ends."""

    since: datetime | None
    until: datetime | None
    _streams: dict[UUID, list[RecordedEvent]] = field(default_factory=dict)
    _deals: dict[UUID, list[UUID]] = field(default_factory=dict)
    """The deals of each table of the range, as far as they have begun."""
    _table_of: dict[UUID, UUID] = field(default_factory=dict)
    _elsewhere: set[UUID] = field(default_factory=set)

    @property
    def running(self) -> int:
        """How many tables of the range have not closed in the log."""
        return len(self._deals)

    async def finished(self, feeds: Feeds, advance: Advance) -> AsyncIterator[FinishedTable]:
        """Yield the tables in the order of their ends."""
        ranges = [await range_between(feeds, "mcr", part, self.since, None) for part in Part]
        total, done = sum(each.count for each in ranges), 0
        async for entry in side_by_side(*(entries_of(feeds, each) for each in ranges)):
            done += 1
            if self.until is not None and entry.at > self.until + LATE and not self.running:
                break
            for table in self._take(entry.event):
                yield table
            if not done % 1_000:
                advance(done, total)
        advance(total, total)

    def _take(self, event: RecordedEvent) -> Iterator[FinishedTable]:
        stream_id = event.stream_id
        if stream_id in self._elsewhere:
            return
        events = self._streams.setdefault(stream_id, [])
        events.append(event)
        events.sort(key=lambda each: each.version)
        if event.version == 1 and not self._is_wanted(event):
            self._elsewhere.add(stream_id)
            del self._streams[stream_id]
            return
        if event.type == _STARTED and events[0].version == 1:
            started = TableCodec().decode(event)
            assert isinstance(started, ev.DealStarted)
            self._deals.setdefault(stream_id, []).append(started.deal_id)
            self._table_of[started.deal_id] = stream_id
        if event.type in _LAST or event.version < len(events):
            yield from self._closed(self._table_of.get(stream_id, stream_id))

    def _is_wanted(self, first: RecordedEvent) -> bool:
        """Whether a stream belongs to a table of the range; deals to whenever their table was opened."""
        if first.type == _OPENED:
            table_id = first.stream_id
        elif first.type == _DEALT:
            dealt = DealCodec().decode(first)
            assert isinstance(dealt, deal_ev.DealDealt)
            table_id = dealt.terms.table_id
        else:
            return False
        born_at = birth_of(table_id)
        return (self.since is None or born_at >= self.since) and (self.until is None or born_at < self.until)

    def _closed(self, table_id: UUID) -> Iterator[FinishedTable]:
        """The table, once it and all its deals are whole."""
        ids = self._deals.get(table_id, [])
        streams = [self._streams.get(stream_id, []) for stream_id in (table_id, *ids)]
        if not ids or not all(map(_is_whole, streams)):
            return
        tables, deals = TableCodec(), DealCodec()
        facts = [(event.version, tables.decode(event)) for event in streams[0]]
        told = {
            deal_id: [(event.version, deals.decode(event)) for event in events]
            for deal_id, events in zip(ids, streams[1:], strict=True)
        }
        for stream_id in (table_id, *ids):
            del self._streams[stream_id]
            self._elsewhere.add(stream_id)
            self._table_of.pop(stream_id, None)
        del self._deals[table_id]
        yield FinishedTable(table_id, facts, told)


def _is_whole(events: Sequence[RecordedEvent]) -> bool:
    """Whether a stream is there from its first to its last event."""
    return bool(events) and events[-1].version == len(events) and events[-1].type in _LAST
