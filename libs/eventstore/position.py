"""How far a loop has come in a feed, and where it reads what its transport lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.port import Feed

PAGE_MAX = 500


@dataclass(frozen=True, slots=True)
class Reached:
    """The last entry that is done, by its sequence (0: none) and its chain value where that was kept."""

    seq: int
    chain: bytes | None = None


class Checkpoint(Protocol):
    """The durable place of one loop in one feed."""

    async def claim(self, epoch: int) -> Reached:
        """Make it this epoch's; return how far it is. Raises Fenced."""
        ...

    async def advance(self, epoch: int, seq: int, chain: bytes | None = None) -> None:
        """Move forward to `seq`, which is not done yet. Raises Fenced when a later epoch has claimed it."""
        ...


@dataclass(frozen=True, slots=True)
class FeedPage:
    """A run of entries without a gap, and the end of the feed when it was read."""

    entries: Sequence[FeedEntry]
    last_seq: int


class FeedReader(Protocol):
    """The owner of a feed, asked for a range of it: over gRPC, or in the same process."""

    async def read_feed(self, part: Part, from_seq: int, to_seq: int | None) -> FeedPage:
        """Return entries from `from_seq` to `to_seq` (None: the head), perhaps fewer; ask again for the rest.

        Raises whatever says that the owner cannot be reached now.
        """
        ...


class LocalFeedReader:
    """The reader for a loop that follows its own service's feed."""

    def __init__(self, feed: Feed) -> None:
        """Read from `feed`."""
        self._feed = feed

    async def read_feed(self, part: Part, from_seq: int, to_seq: int | None) -> FeedPage:
        """As the port says."""
        entries = await self._feed.read(part, from_seq, to_seq, limit=PAGE_MAX)
        head = await self._feed.head(part)
        return FeedPage(entries, head.last_seq)
