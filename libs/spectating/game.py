"""A kind of game that can be watched: how a stream of it is folded, and how it is told to spectators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from libs.eventsourcing.following import Kind
from libs.eventstore.repository import Codec

S = TypeVar("S")
E = TypeVar("E")
M = TypeVar("M")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Game(Generic[S, E, M, U]):
    """States, events, what a snapshot tells, what an update tells. Functions get states that have begun."""

    kind: Kind[S, E]
    codec: Codec[E]
    snapshot: Callable[[UUID, S], M]
    """How a game, by its id, stands."""
    update: Callable[[UUID, Sequence[E], S], U | None]
    """What a command changed; None where spectators see nothing of it."""
    elapsed_ms: Callable[[S, datetime], int]
    seats_taken: Callable[[E], Sequence[UUID]]
    """The accounts that a fact seats."""
