"""The clocks that run: the machine's own, and the database's, which all replicas share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from libs.runtime.pause import pause

SAMPLE_EVERY_S = 1.0
ROUND_TRIP_MAX_S = 0.1
"""A sample that took longer says too little about the moment it was taken."""


class SystemClock:
    """The machine's own clock: for clients and for processes without a database."""

    def now(self) -> datetime:
        """Return the present instant, in UTC."""
        return datetime.now(UTC)


class SteppingClock:
    """A clock that stands until it is told to move: the sibling of the real ones, for tests."""

    def __init__(self, at: datetime) -> None:
        assert at.tzinfo is not None, "instants are aware"
        self._at = at

    def now(self) -> datetime:
        """Return the instant the clock was last moved to."""
        return self._at

    def advance(self, by: timedelta) -> None:
        """Move the clock; a negative step moves it back."""
        self._at += by


class DatabaseClock:
    """The database's clock, sampled each second and carried on by the local monotonic clock.

    While the database is away the monotonic clock goes on alone. A step of the database's clock shows with
    the next sample; whoever needs instants that never fall takes the greater of now and the last one.
    """

    def __init__(self, sample: Callable[[], Awaitable[datetime]]) -> None:
        """Take `sample`, which asks the database for its time. `now` may be asked after the first sample."""
        self._sample = sample
        self._offset_s: float | None = None

    def now(self) -> datetime:
        """Return the present instant by the database's clock, in UTC."""
        assert self._offset_s is not None, "a DatabaseClock is sampled before it is read"
        return datetime.fromtimestamp(time.monotonic() + self._offset_s, UTC)

    async def take_sample(self) -> None:
        """Ask the database once; a slow answer counts only when there is no better one. Passes errors on."""
        before_s = time.monotonic()
        at = await self._sample()
        after_s = time.monotonic()
        if after_s - before_s <= ROUND_TRIP_MAX_S or self._offset_s is None:
            self._offset_s = at.timestamp() - (before_s + after_s) / 2

    async def keep_sampling(self, stop: asyncio.Event) -> None:
        """Sample each second until `stop` is set; errors pass to the caller, who calls again."""
        while not stop.is_set():
            await self.take_sample()
            await pause(stop, SAMPLE_EVERY_S)
