"""An attempt in memory and a hub that watches it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TypeAlias
from uuid import UUID, uuid4

from libs.bus.memory import MemoryBus
from libs.eventsourcing.following import Change, Seen
from libs.eventstore.memory import MemoryEventStore
from libs.eventstore.port import Request
from libs.eventstore.repository import Accepted, Repository
from libs.following.hub import WatchHub
from libs.runtime.systemclock import SteppingClock
from services.match.attempts.play import ATTEMPT_KIND
from services.match.commands import Command
from services.match.domain import evolve as evolution
from services.match.domain.decide import Question, decide
from services.match.domain.refusal import Refusal
from services.match.domain.state import NotStarted, State
from services.match.events import Event
from services.match.wire.event_codec import EventCodec
from tests.support.attempts import ANA, after, touch

AttemptChange: TypeAlias = Change[State, Event]
AttemptSeen: TypeAlias = Seen[State, Event]
ATTEMPT, PHONE, TABLET = UUID(int=0x1), UUID(int=0x2), UUID(int=0x3)


class Table:
    """The attempt, the twins of store and bus, the hub."""

    def __init__(self, *, heartbeat_s: float = 5.0) -> None:
        self.store, self.bus = MemoryEventStore(), MemoryBus()
        self.clock = SteppingClock(after(0))
        self.hub = WatchHub(
            ATTEMPT_KIND, EventCodec(), self.store, self.bus, self.clock, heartbeat_s=heartbeat_s
        )
        self.repository: Repository[State, Event, Refusal | Question] = Repository(
            evolution, EventCodec(), self.store
        )
        self.version = 0

    async def commit(self, command: Command) -> AttemptChange:
        """Store what the command does, without telling anybody."""
        request = Request(ANA, str(uuid4()), b"")
        done = await self.repository.execute(
            ATTEMPT, lambda state: decide(command, state), request=request, now=after(0)
        )
        assert isinstance(done, Accepted)
        assert not isinstance(done.state, NotStarted)
        return Change(done.version, tuple(stamped.event for stamped in done.events), done.state)

    async def play(self, touches: int) -> list[AttemptChange]:
        """Lift and put back the first tile, so many touches, without telling anybody."""
        changes = []
        for _ in range(touches):
            changes.append(await self.commit(touch(0, self.version)))
            self.version += 1
        return changes

    def follow(
        self, after_version: int | None = None, session: UUID = PHONE
    ) -> AsyncGenerator[AttemptSeen, None]:
        """Open a stream."""
        return self.hub.follow(ATTEMPT, ANA, session, after_version)
