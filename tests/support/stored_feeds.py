"""Feeds in memory, read as an operator's client reads those of a site."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent

NOBODY = UUID(int=0xCA11)


class Stored:
    """What services have logged so far: nothing."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, Part], list[FeedEntry]] = {}

    def add(self, service: str, stream_id: UUID, version: int, stored: Any, at: datetime) -> None:
        """Append one event, sequenced when it happened."""
        part, type_, schema, data = stored
        event = RecordedEvent(stream_id, version, part, type_, schema, at, at, NOBODY, None, 0, data)
        feed = self.entries.setdefault((service, part), [])
        feed.append(FeedEntry(len(feed) + 1, at, bytes(32), event))

    def play(self, stream_id: UUID, codec: Any, events: Sequence[Any], service: str = "match") -> None:
        """Append a whole stream."""
        for version, event in enumerate(events, 1):
            self.add(service, stream_id, version, codec.encode(event), event.occurred_at)

    async def read_feed(
        self, service: str, part: Part, from_sequence: int, page_size: int = 0
    ) -> tuple[list[FeedEntry], int]:
        """As an operator's client."""
        feed = self.entries.get((service, part), [])
        return feed[from_sequence - 1 :][: page_size or 500], len(feed)
