"""How long there is left for an answer, by the server's clock as far as it is heard of."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta


def utc_now() -> datetime:
    """The time of this machine."""
    return datetime.now(UTC)


class ServerClock:
    """This machine's clock, corrected by what the server has dated: nothing is dated before it happened."""

    def __init__(self, now: Callable[[], datetime] = utc_now) -> None:
        """Take this machine's clock; until something is heard it is believed."""
        self._now = now
        self._ahead: timedelta | None = None

    def hear(self, at: datetime) -> None:
        """Something that has just come is dated so: the server's clock shows at least that."""
        ahead = at - self._now()
        self._ahead = ahead if self._ahead is None else max(self._ahead, ahead)

    def seconds_until(self, deadline: datetime) -> int:
        """How many seconds are left, begun ones as whole; never less than 0."""
        left = deadline - self._now() - (self._ahead or timedelta())
        return max(0, -(-left // timedelta(seconds=1)))
