"""One stream that spectators watch: folded once for all of them, each command when its delay has passed."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar
from uuid import UUID

from libs.eventsourcing.envelope import RecordedEvent
from libs.eventsourcing.following import End
from libs.following.inbox import Inbox
from libs.spectating.game import Game
from libs.spectating.showing import known_at

S = TypeVar("S")
E = TypeVar("E")
M = TypeVar("M")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Shown(Generic[U]):
    """What one command changed; the message is shared by all who see it. None: it shows nothing."""

    version: int
    update: U | None


class Spectator(Inbox[Shown[U] | End], Generic[U]):
    """One reader."""

    def __init__(self, account_id: UUID) -> None:
        """Begin with nothing to read."""
        super().__init__()
        self.account_id = account_id


@dataclass(frozen=True, slots=True)
class _Command(Generic[E]):
    """A command that may be shown from an instant on."""

    shown_at: datetime
    version: int
    events: tuple[E, ...]


class Topic(Generic[S, E, M, U]):
    """One stream. `state` is that of the shown instant; what is newer is read, and kept back."""

    def __init__(self, match_id: UUID, stream_id: UUID, game: Game[S, E, M, U], delay: timedelta) -> None:
        """Begin before the first event."""
        self.match_id = match_id
        self.stream_id = stream_id
        self.game = game
        self.version = 0
        self.state: S = game.kind.initial()
        self.read_version = 0
        """The last version that was read, shown or not."""
        self.seated: set[UUID] = set()
        """The accounts that sit in the match by all that was read."""
        self.spectators: set[Spectator[U]] = set()
        self.followers = 0
        """Streams that need it, those that have not begun to read included."""
        self.reading = asyncio.Lock()
        self._delay = delay
        self._kept_back: deque[_Command[E]] = deque()
        self._known_at: datetime | None = None
        self._snapshot: tuple[int, M] | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing more is shown of this stream."""
        return self.game.kind.is_over(self.state)

    def take(self, command: Sequence[RecordedEvent]) -> None:
        """Take the command that follows on what was read, and keep it back until it may be shown."""
        self._known_at = known_at(command, self._known_at)
        events = tuple(self.game.codec.decode(event) for event in command)
        self.read_version = command[-1].version
        self._kept_back.append(_Command(self._known_at + self._delay, self.read_version, events))
        newly = {account for event in events for account in self.game.seats_taken(event)} - self.seated
        if newly:
            self.seated |= newly
            self._end([each for each in self.spectators if each.account_id in newly], "SPECTATOR_SEATED")

    def show(self, now: datetime, at_most: int) -> bool:
        """Show commands whose delay has passed by now, so many at most; return whether more are due."""
        for _ in range(at_most):
            if self.is_over or not self._kept_back or self._kept_back[0].shown_at > now:
                return False
            self._show(self._kept_back.popleft())
        return True

    def _show(self, command: _Command[E]) -> None:
        for event in command.events:
            self.state = self.game.kind.evolve(self.state, event)
        self.version = command.version
        if self.spectators:
            update = self.game.update(self.match_id, command.events, self.state)
            shown = Shown(self.version, update)
            for spectator in self.spectators:
                spectator.put(shown)
        if self.is_over:
            self.end("MATCH_ENDED")

    def snapshot(self) -> M:
        """The match as it is shown now; one message for all who ask."""
        if self._snapshot is None or self._snapshot[0] != self.version:
            self._snapshot = (self.version, self.game.snapshot(self.match_id, self.state))
        return self._snapshot[1]

    def earlier(self, recorded: Sequence[RecordedEvent], after_version: int) -> Iterator[Shown[U]]:
        """What was shown after a version, from all events of the stream up to the shown one."""
        state = self.game.kind.initial()
        for command in commands_in(recorded):
            events = [self.game.codec.decode(event) for event in command]
            for event in events:
                state = self.game.kind.evolve(state, event)
            version = command[-1].version
            if after_version < version:
                yield Shown(version, self.game.update(self.match_id, events, state))

    def end(self, reason: str) -> None:
        """Tell all spectators why nothing more comes."""
        self._end(list(self.spectators), reason)

    def _end(self, spectators: Sequence[Spectator[U]], reason: str) -> None:
        for spectator in spectators:
            spectator.put(End(self.version, reason))
            self.spectators.discard(spectator)


def commands_in(recorded: Sequence[RecordedEvent]) -> Iterator[Sequence[RecordedEvent]]:
    """The events, command by command."""
    start = 0
    while start < len(recorded):
        command = recorded[start : start + max(1, recorded[start].request_events)]
        start += len(command)
        yield command
