"""States of streams that were folded lately, and a lock per stream: one process's own, only to save work.

What is remembered may be stale at any time: another replica appends as well. Whoever uses it is corrected by
the compare-and-set of the append, or asks the store for what is newer.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID
from weakref import WeakValueDictionary

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Known(Generic[S]):
    """A state, the version it stands at, and when that version's event occurred."""

    state: S
    version: int
    occurred_at: datetime | None


class States(Generic[S]):
    """The states used last, by stream."""

    def __init__(self, limit: int) -> None:
        """Remember at most `limit` states."""
        self._limit = limit
        self._known: OrderedDict[UUID, Known[S]] = OrderedDict()
        self._locks: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()

    def get(self, stream_id: UUID) -> Known[S] | None:
        """Return what is remembered about a stream."""
        known = self._known.get(stream_id)
        if known is not None:
            self._known.move_to_end(stream_id)
        return known

    def remember(self, stream_id: UUID, known: Known[S]) -> None:
        """Remember a state unless a later one is known."""
        present = self._known.get(stream_id)
        if known.version > 0 and (present is None or present.version < known.version):
            self._known[stream_id] = known
            self._known.move_to_end(stream_id)
            if len(self._known) > self._limit:
                self._known.popitem(last=False)

    def forget(self, stream_id: UUID) -> None:
        """Remember nothing about a stream."""
        self._known.pop(stream_id, None)

    def lock(self, stream_id: UUID) -> asyncio.Lock:
        """Return the stream's lock; it lives as long as somebody uses it."""
        lock = self._locks.get(stream_id)
        if lock is None:
            lock = self._locks[stream_id] = asyncio.Lock()
        return lock
