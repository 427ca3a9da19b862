"""The events of an MCR table, of its deals and of what they moved, out of the feeds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.cli.verify.collect import LATE, SKEW, Feeds, entries_since
from libs.cli.verify.differing import Numbered
from libs.cli.verify.table import PointsMoved, transfers_due
from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.eventsourcing.ids import birth_of
from services.ledger.wire.events import TRANSFER_POSTED, posted_message
from services.mcr.domain.session import events as ev
from services.mcr.wire.deal_codec import DealCodec
from services.mcr.wire.table_codec import TYPES, TableCodec

SERVICE: Final = "mcr"
CLOSED: Final = TYPES[ev.TableClosed][1]
OF_TABLES: Final = frozenset(name for _part, name in TYPES.values())


@dataclass(frozen=True)
class CollectedTable:
    """A table's facts and those of its deals, by version; empty where there is no such table."""

    facts: Numbered
    deals: dict[UUID, Numbered]

    @property
    def is_over(self) -> bool:
        """Whether the table has closed."""
        return any(isinstance(event, ev.TableClosed) for _version, event in self.facts)


async def collect_table(feeds: Feeds, table_id: UUID) -> CollectedTable:
    """Read a table from its birth to its closing, and its deals."""
    recorded, until = await _facts(feeds, table_id)
    facts = _numbered(recorded, TableCodec())
    if until is None:
        return CollectedTable(facts, {})
    ids = [event.deal_id for _version, event in facts if isinstance(event, ev.DealStarted)]
    found: dict[UUID, list[RecordedEvent]] = {deal_id: [] for deal_id in ids}
    for part in Part:
        async for entry in entries_since(feeds, part, birth_of(table_id) - SKEW, SERVICE):
            if entry.at > until:
                break
            if entry.event.stream_id in found:
                found[entry.event.stream_id].append(entry.event)
    codec = DealCodec()
    return CollectedTable(facts, {deal_id: _numbered(events, codec) for deal_id, events in found.items()})


async def _facts(feeds: Feeds, table_id: UUID) -> tuple[list[RecordedEvent], datetime | None]:
    """The facts of a table, and until when the events of one that has closed may have come."""
    recorded: list[RecordedEvent] = []
    until, born_at = None, birth_of(table_id)
    async for entry in entries_since(feeds, Part.FACTS, born_at - SKEW, SERVICE):
        if entry.event.stream_id == table_id and entry.event.type in OF_TABLES:
            recorded.append(entry.event)
            if entry.event.type == CLOSED:
                until = entry.at + LATE
        elif not recorded and entry.at > born_at + LATE:
            break  # its opening would have come by now
        if until is not None and entry.at > until:
            break
    return recorded, until


def _numbered(recorded: list[RecordedEvent], codec: TableCodec | DealCodec) -> Numbered:
    in_order = sorted(recorded, key=lambda event: event.version)
    return [(event.version, codec.decode(event)) for event in in_order]


async def points_of(feeds: Feeds, collected: CollectedTable) -> list[PointsMoved]:
    """The transfers of a table's points out of the ledger's feed, until all that are due have come."""
    opened, last = collected.facts[0][1], collected.facts[-1][1]
    if not isinstance(opened, ev.TableOpened):
        return []
    rows = [event.row for _version, event in collected.facts if isinstance(event, ev.DealFinished)]
    due = len(transfers_due(opened.terms, rows))
    prefix, found = f"table/{opened.terms.table_id}/", list[PointsMoved]()
    async for entry in entries_since(feeds, Part.FACTS, birth_of(opened.terms.table_id) - SKEW, "ledger"):
        if entry.event.type == TRANSFER_POSTED:
            moved = points_moved(entry.event.data)
            if moved.key.startswith(prefix):
                found.append(moved)
        if len(found) >= due and entry.at > last.occurred_at + SKEW:
            break
    return found


def points_moved(data: bytes) -> PointsMoved:
    """A transfer as the ledger's feed holds it."""
    posted = posted_message(data)
    return PointsMoved(posted.key, posted.debit, posted.credit, posted.amount, posted.reason)
