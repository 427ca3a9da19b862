"""The log as it grows: every entry once, in the order of its feed, through restarts of the server.

A position per feed is all the state there is. It moves only with entries that follow on it, by sequence and
by chain value, so nothing is skipped or repeated whatever happens to the connection.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from libs.cli.events.feeds import PAGE, FeedChanged, Feeds, chain_before, range_between
from libs.client.errors import UnreachableError
from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.chain import link

POLL_S: Final = 0.25
AWAY_S: Final = 1.0


@dataclass
class Position:
    """How far one feed was followed."""

    service: str
    part: Part
    seq: int
    chain: bytes
    source: str = ""
    """Known once there is an event."""

    def follow(self, entries: Sequence[FeedEntry], end: int) -> None:
        """Move over entries. Raises FeedChanged when they do not follow, or the feed ends before here."""
        if end < self.seq:
            raise FeedChanged(f"{self.service}/{self.part} ends with {end}, but had {self.seq} entries")
        for entry in entries:
            if entry.seq != self.seq + 1 or entry.chain != link(self.chain, entry.seq, entry.at, entry.event):
                raise FeedChanged(f"{self.service}/{self.part}: {entry.seq} does not follow on {self.seq}")
            self.seq, self.chain = entry.seq, entry.chain


async def positions(feeds: Feeds, services: Sequence[str], since: datetime | None) -> list[Position]:
    """Return where to begin: at an instant, or at the ends of the feeds."""
    found = []
    for service in services:
        for part in (Part.FACTS, Part.MOVES):
            wanted = await range_between(feeds, service, part, since, None)
            first = wanted.last + 1 if since is None else wanted.first
            found.append(Position(service, part, first - 1, await chain_before(feeds, service, part, first)))
    return found


async def follow(
    feeds: Feeds, since: Sequence[Position], away: Callable[[bool], None], poll_s: float = POLL_S
) -> AsyncIterator[tuple[Position, FeedEntry]]:
    """Yield all that comes, for ever, with the feed it came in. Raises FeedChanged when the log is another.

    `away` is told when the server stops answering (True), and when it answers again (False).
    """
    is_away = False
    while True:
        try:
            fetched = [await _fetch(feeds, position) for position in since]
        except UnreachableError:
            if not is_away:
                is_away = True
                away(True)
            await asyncio.sleep(AWAY_S)
            continue
        if is_away:
            is_away = False
            away(False)
        # Only now that all have answered do the positions move: what one of them gave is not lost by another.
        for position, (entries, end) in zip(since, fetched, strict=True):
            position.follow(entries, end)
        news = [
            [(position, entry) for entry in entries]
            for position, (entries, _) in zip(since, fetched, strict=True)
        ]
        for news_of_one in heapq.merge(*news, key=lambda pair: pair[1].at):
            yield news_of_one
        if not any(news):
            await asyncio.sleep(poll_s)


async def _fetch(feeds: Feeds, position: Position) -> tuple[list[FeedEntry], int]:
    entries, end = await feeds.read_feed(position.service, position.part, position.seq + 1, PAGE)
    if entries and not position.source:
        position.source = await feeds.feed_source(position.service, position.part)
    return entries, end
