"""Feeds in memory, read as an operator's client reads those of a site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from libs.cli.verify.table import transfers_due
from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent
from services.ledger.assets import Asset
from services.ledger.events import TransferPosted
from services.ledger.wire import events as ledger_wire
from services.mcr.domain.session.events import DealFinished
from services.mcr.wire.deal_codec import DealCodec
from services.mcr.wire.table_codec import TableCodec
from tests.support.mcr_tables import PlayedTable

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

    async def feed_source(self, service: str, part: Part) -> str:
        """As an operator's client."""
        return f"local/{service}" if (service, part) in self.entries else ""

    async def read_feed(
        self, service: str, part: Part, from_sequence: int, page_size: int = 0
    ) -> tuple[list[FeedEntry], int]:
        """As an operator's client."""
        feed = self.entries.get((service, part), [])
        return feed[from_sequence - 1 :][: page_size or 500], len(feed)


def stored_table(table: PlayedTable) -> Stored:
    """What services log of an MCR table: its facts, its deals, what it moved."""
    feeds = Stored()
    feeds.play(table.terms.table_id, TableCodec(), table.facts, "mcr")
    for deal_id, events in table.deals.items():
        feeds.play(deal_id, DealCodec(), events, "mcr")
    for key, feed in feeds.entries.items():
        in_order = sorted(feed, key=lambda entry: entry.at)
        feeds.entries[key] = [replace(entry, seq=seq) for seq, entry in enumerate(in_order, 1)]
    rows = [fact.row for fact in table.facts if isinstance(fact, DealFinished)]
    at = table.facts[-1].occurred_at
    for number, each in enumerate(transfers_due(table.terms, rows), 1):
        fact = TransferPosted(
            each.key, Asset.POINTS, each.debit, each.credit, each.points, each.reason, at, at.date(), "", ""
        )
        new = ledger_wire.encode(fact, at)
        feeds.add("ledger", UUID(int=number), 1, (new.part, new.type, new.schema_version, new.data), at)
    return feeds
