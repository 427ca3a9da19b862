"""One watched game and its readers: bounded queues, filled in the order of the stream."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from libs.eventsourcing.following import Change, End, Kind
from libs.following.inbox import Inbox

S = TypeVar("S")
E = TypeVar("E")


class Watcher(Inbox[Change[S, E] | End], Generic[S, E]):
    """One reader, and on which device."""

    def __init__(self, account_id: UUID, session_id: UUID, opened_at: datetime) -> None:
        """Begin with nothing to read."""
        super().__init__()
        self.account_id = account_id
        self.session_id = session_id
        self.opened_at = opened_at


class Topic(Generic[S, E]):
    """One watched game."""

    def __init__(self, stream_id: UUID, kind: Kind[S, E]) -> None:
        """Begin before the first event."""
        self.stream_id = stream_id
        self.version = 0
        self.state: S = kind.initial()
        self.watchers: set[Watcher[S, E]] = set()
        self._kind = kind
        self.followers = 0  # streams that need it, those that have not begun to read included
        self.reading = asyncio.Lock()
        self.waiting: set[asyncio.Task[None]] = set()

    def move(self, change: Change[S, E]) -> None:
        """Take one command's change and hand it on."""
        self.version, self.state = change.version, change.state
        for watcher in self.watchers:
            watcher.put(change)
        if self._kind.is_over(change.state):
            self.end("MATCH_ENDED")

    def end(self, reason: str) -> None:
        """Tell all watchers why nothing more comes."""
        self._end(list(self.watchers), reason)

    def take_over(self, account_id: UUID, session_id: UUID, at: datetime) -> None:
        """End the streams of the account's other sessions that were open when this one took the seat."""
        own = [watcher for watcher in self.watchers if watcher.account_id == account_id]
        others = [w for w in own if w.session_id != session_id and w.opened_at <= at]
        self._end(others, "SEAT_TAKEN_OVER")

    def is_taken_from(self, watcher: Watcher[S, E]) -> bool:
        """Whether another session of the account took the seat after this one began."""
        return any(
            other.account_id == watcher.account_id
            and other.session_id != watcher.session_id
            and other.opened_at > watcher.opened_at
            for other in self.watchers
        )

    def _end(self, watchers: list[Watcher[S, E]], reason: str) -> None:
        for watcher in watchers:
            watcher.put(End(self.version, reason))
            self.watchers.discard(watcher)
