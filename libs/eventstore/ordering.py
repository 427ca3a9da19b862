"""The pure part of sequencing: places, instants and chain values for a batch of events."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from libs.eventsourcing.envelope import FeedEntry, RecordedEvent
from libs.eventstore.chain import link
from libs.eventstore.port import FeedHead

REMEMBERED_STREAMS = 2_000


def place(head: FeedHead, at: datetime, events: Sequence[RecordedEvent]) -> list[FeedEntry]:
    """Return the entries that follow on `head`, in the given order."""
    entries: list[FeedEntry] = []
    chain = head.chain
    for seq, event in enumerate(events, head.last_seq + 1):
        chain = link(chain, seq, at, event)
        entries.append(FeedEntry(seq, at, chain, event))
    return entries


class VersionOrder:
    """Asserts that a stream's versions rise within one part, over the streams that moved lately."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._versions: OrderedDict[UUID, int] = OrderedDict()

    def check(self, events: Sequence[RecordedEvent]) -> None:
        """Hold events that are about to be placed against what is known; change nothing."""
        seen: dict[UUID, int] = {}
        for event in events:
            before = seen.get(event.stream_id, self._versions.get(event.stream_id, 0))
            assert event.version > before, f"{event.id} would follow on version {before}"
            seen[event.stream_id] = event.version

    def placed(self, events: Sequence[RecordedEvent]) -> None:
        """Remember events that were placed."""
        for event in events:
            self._versions[event.stream_id] = event.version
            self._versions.move_to_end(event.stream_id)
        while len(self._versions) > REMEMBERED_STREAMS:
            self._versions.popitem(last=False)
