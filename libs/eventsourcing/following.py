"""What a reader of a game sees, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

S = TypeVar("S")
E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Kind(Generic[S, E]):
    """How streams of one kind of game are folded, and what their states say to readers."""

    initial: Callable[[], S]
    evolve: Callable[[S, E], S]
    is_over: Callable[[S], bool]
    """Whether nothing more comes that a reader waits for."""


@dataclass(frozen=True, slots=True)
class Snapshot(Generic[S]):
    """The game as it stands at a stream version."""

    version: int
    state: S


@dataclass(frozen=True, slots=True)
class Change(Generic[S, E]):
    """What one command changed; `version` is the stream's version after it."""

    version: int
    events: tuple[E, ...]
    state: S


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Nothing happened for a while."""

    version: int


@dataclass(frozen=True, slots=True)
class End:
    """Nothing more will come, for this reason."""

    version: int
    reason: str


Seen = Snapshot[S] | Change[S, E] | Heartbeat | End
