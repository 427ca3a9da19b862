"""What a reader of an attempt sees, one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from services.match.domain.state import Begun
from services.match.events import Event


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The attempt as it stands at a stream version."""

    version: int
    state: Begun


@dataclass(frozen=True, slots=True)
class Change:
    """What one command changed; `version` is the stream's version after it."""

    version: int
    events: tuple[Event, ...]
    state: Begun


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Nothing happened for a while."""

    version: int


@dataclass(frozen=True, slots=True)
class End:
    """Nothing more will come, for this reason."""

    version: int
    reason: str


Seen = Snapshot | Change | Heartbeat | End
