"""What arrives in any order, doubled or with holes, back in the order of the feed. Pure bookkeeping."""

from __future__ import annotations

from libs.eventsourcing.envelope import FeedEntry

WAITING_MAX = 2_000


class Inbox:
    """The place of one consumer in one feed, and the entries that wait for earlier ones."""

    def __init__(self, last: int, waiting_max: int = WAITING_MAX) -> None:
        """Begin after `last`."""
        assert last >= 0
        self._last = last
        self._head = last
        self._waiting: dict[int, FeedEntry] = {}
        self._waiting_max = waiting_max

    @property
    def last(self) -> int:
        """The last sequence that is done."""
        return self._last

    @property
    def head(self) -> int:
        """The highest sequence known to exist."""
        return self._head

    @property
    def is_behind(self) -> bool:
        """Whether something is known to exist that is not done."""
        return self._head > self._last

    def offer(self, entry: FeedEntry) -> None:
        """Take an entry. Done ones are dropped, and the furthest when too many wait: it can be read again."""
        self._head = max(self._head, entry.seq)
        if entry.seq <= self._last:
            return
        self._waiting[entry.seq] = entry
        if len(self._waiting) > self._waiting_max:
            del self._waiting[max(self._waiting)]

    def heard_of(self, seq: int) -> None:
        """Learn that the feed goes at least to `seq`."""
        self._head = max(self._head, seq)

    def ready(self, limit: int) -> list[FeedEntry]:
        """Return the entries that come next without a hole, at most `limit`. They stay until `done`."""
        run: list[FeedEntry] = []
        while len(run) < limit and (entry := self._waiting.get(self._last + 1 + len(run))) is not None:
            run.append(entry)
        return run

    def hole_end(self) -> int | None:
        """Return the last sequence of the hole before the entries that wait; None without a hole."""
        if not self._waiting or self._last + 1 in self._waiting:
            return None
        return min(self._waiting) - 1

    def done(self, seq: int) -> None:
        """Move to `seq`, the end of what `ready` gave or a part of it."""
        assert seq > self._last
        for passed in range(self._last + 1, seq + 1):
            del self._waiting[passed]
        self._last = seq
