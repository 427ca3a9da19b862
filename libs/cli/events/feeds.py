"""Ranges of feeds, read page by page with an operator's token."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from libs.client.session import utc_now
from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.chain import CHAIN_START

PAGE: Final = 1_000
TOKEN_FRESH: Final = timedelta(seconds=30)
"""Operator tokens are good for a minute; after half of it another is made."""


class Feeds(Protocol):
    """Reads feeds: an operator's client, or a stand-in."""

    async def feed_source(self, service: str, part: Part) -> str:
        """Return the source of a feed's events; empty while there is none."""
        ...

    async def read_feed(
        self, service: str, part: Part, from_sequence: int, page_size: int = 0
    ) -> tuple[list[FeedEntry], int]:
        """Return entries from a sequence on, in order, and the end of the feed."""
        ...


class FeedChanged(Exception):
    """The feed is not the one that was read before: its text says where."""


class MintedTokens:
    """A bearer for work that lasts longer than a token."""

    def __init__(self, mint: Callable[[], str], now: Callable[[], datetime] = utc_now) -> None:
        """Take what makes a token; the first is made when it is asked for."""
        self._mint = mint
        self._now = now
        self._held: tuple[str, datetime] | None = None

    async def token(self) -> str:
        """Return a token that is good for a while."""
        if self._held is None or self._now() - self._held[1] > TOKEN_FRESH:
            self._held = self._mint(), self._now()
        return self._held[0]

    async def renew(self, refused: str) -> None:
        """Make another in place of the refused one."""
        if self._held is not None and self._held[0] == refused:
            self._held = None


@dataclass(frozen=True)
class Range:
    """Entries `first` to `last` of one feed; `last` is `first - 1` where there are none."""

    service: str
    part: Part
    first: int
    last: int

    @property
    def count(self) -> int:
        """How many entries there are."""
        return self.last - self.first + 1


async def range_between(
    feeds: Feeds, service: str, part: Part, since: datetime | None, until: datetime | None
) -> Range:
    """Return what was placed in the feed from `since` on and before `until`; None leaves that side open."""
    _, end = await feeds.read_feed(service, part, 1, 1)
    first = 1 if since is None else await _first_at(feeds, service, part, since, 1, end)
    last = end if until is None else await _first_at(feeds, service, part, until, first, end) - 1
    return Range(service, part, first, max(last, first - 1))


async def _first_at(feeds: Feeds, service: str, part: Part, instant: datetime, low: int, end: int) -> int:
    """The first sequence placed at an instant or later, found by halving because `at` never falls."""
    high = end + 1
    while low < high:
        middle = (low + high) // 2
        entries, _ = await feeds.read_feed(service, part, middle, 1)
        if entries and entries[0].at < instant:
            low = middle + 1
        else:
            high = middle
    return low


async def chain_before(feeds: Feeds, service: str, part: Part, seq: int) -> bytes:
    """Return the chain value that the entry at `seq` follows on."""
    if seq == 1:
        return CHAIN_START
    entries, _ = await feeds.read_feed(service, part, seq - 1, 1)
    if not entries:
        raise FeedChanged(f"{service}/{part} ends before {seq - 1}")
    return entries[0].chain


async def pages(feeds: Feeds, wanted: Range) -> AsyncIterator[list[FeedEntry]]:
    """Yield the entries of a range, each once and in order; the next page is fetched meanwhile."""
    position = wanted.first
    coming = _fetch(feeds, wanted, position)
    try:
        while position <= wanted.last:
            entries, _ = await coming
            entries = entries[: wanted.last - position + 1]
            if [entry.seq for entry in entries] != list(range(position, position + len(entries))) or (
                not entries
            ):
                raise FeedChanged(f"{wanted.service}/{wanted.part} does not go on at {position}")
            position += len(entries)
            if position <= wanted.last:
                coming = _fetch(feeds, wanted, position)
            yield entries
    finally:
        coming.cancel()


def _fetch(feeds: Feeds, wanted: Range, position: int) -> asyncio.Future[tuple[list[FeedEntry], int]]:
    size = max(1, min(PAGE, wanted.last - position + 1))
    return asyncio.ensure_future(feeds.read_feed(wanted.service, wanted.part, position, size))
