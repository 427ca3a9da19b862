"""The whole pattern in three pure functions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

C = TypeVar("C", contravariant=True)
S = TypeVar("S")
E = TypeVar("E")
R = TypeVar("R", covariant=True)


class Decider(Protocol[C, S, E, R]):
    """What one kind of stream decides. Implemented by a module or an object of pure functions."""

    def initial(self) -> S:
        """Return the state of a stream without events."""
        ...

    def evolve(self, state: S, event: E) -> S:
        """Return the state after a past fact. Never refuses, never calls a solver."""
        ...

    def decide(self, command: C, state: S) -> list[E] | R:
        """Return the facts that an order brings about, or the refusal. Time stands in the command."""
        ...


def fold(decider: Decider[C, S, E, R], events: Iterable[E], state: S | None = None) -> S:
    """Return the state after `events`, from `state` or from the beginning."""
    current = decider.initial() if state is None else state
    for event in events:
        current = decider.evolve(current, event)
    return current
