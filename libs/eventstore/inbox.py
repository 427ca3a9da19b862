"""What arrives in any order, doubled, with holes or from elsewhere, back in the order of the feed. Pure.

Only what links to the chain comes out: a bus may hold the entries of another history (a database restored
from a backup, a folder of NATS left over), under sequences that are right.
"""

from __future__ import annotations

from libs.eventsourcing.envelope import FeedEntry
from libs.eventstore.chain import link

WAITING_MAX = 2_000


class Inbox:
    """The place of one consumer in one feed, and the entries that wait for earlier ones."""

    def __init__(self, last: int, chain: bytes | None, waiting_max: int = WAITING_MAX) -> None:
        """Begin after `last`, whose chain value is `chain`; nothing comes out while that is not known."""
        assert last >= 0
        self._last = last
        self.chain = chain
        self.strangers = 0
        """Entries that were dropped because they do not link."""
        self._head = last
        self._waiting: dict[int, FeedEntry] = {}
        self._proven: set[int] = set()
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

    def offer(self, entry: FeedEntry, *, proven: bool = False) -> None:
        """Take an entry. Done ones are dropped, and the furthest when too many wait: it can be read again.

        `proven`: it is known to link, and takes the place of one that is not.
        """
        self._head = max(self._head, entry.seq)
        if entry.seq <= self._last or (entry.seq in self._proven and not proven):
            return
        self._waiting[entry.seq] = entry
        if proven:
            self._proven.add(entry.seq)
        if len(self._waiting) > self._waiting_max:
            self._drop(max(self._waiting))

    def heard_of(self, seq: int) -> None:
        """Learn that the feed goes at least to `seq`."""
        self._head = max(self._head, seq)

    def ends_at(self, seq: int) -> None:
        """Learn from the feed's owner where it ends now: what was heard beyond was not of this feed."""
        self._head = max(seq, self._last)
        for waiting in [waiting for waiting in self._waiting if waiting > seq]:
            self._drop(waiting)

    def ready(self, limit: int) -> list[FeedEntry]:
        """Return the entries that come next without a hole, at most `limit`. They stay until `done`.

        One that does not link is dropped and leaves a hole.
        """
        run: list[FeedEntry] = []
        chain = self.chain
        while len(run) < limit and (entry := self._waiting.get(self._last + 1 + len(run))) is not None:
            if chain is None:
                break
            if entry.seq not in self._proven and entry.chain != link(chain, entry.seq, entry.at, entry.event):
                self.strangers += 1
                self._drop(entry.seq)
                break
            run.append(entry)
            chain = entry.chain
        return run

    def hole_end(self) -> int | None:
        """Return the last sequence of the hole before the entries that wait; None without a hole."""
        if not self._waiting or self._last + 1 in self._waiting:
            return None
        return min(self._waiting) - 1

    def done(self, seq: int) -> None:
        """Move to `seq`, the end of what `ready` gave or a part of it."""
        assert seq > self._last
        self.chain = self._waiting[seq].chain
        for passed in range(self._last + 1, seq + 1):
            self._drop(passed)
        self._last = seq

    def _drop(self, seq: int) -> None:
        del self._waiting[seq]
        self._proven.discard(seq)
