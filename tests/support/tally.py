"""A tiny kind of stream for tests of the repository: a tally that never passes ten."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.eventstore.port import EventStore
from libs.eventstore.repository import Encoded, Repository

LIMIT = 10


class Refusal(StrEnum):
    """Why a tally does not move."""

    OVER_LIMIT = "OVER_LIMIT"


@dataclass(frozen=True)
class Added:
    """A number was added."""

    amount: int
    occurred_at: datetime | None = None  # given where a deadline decided


class Evolution:
    """The sum so far."""

    def initial(self) -> int:
        """Return the sum of nothing."""
        return 0

    def evolve(self, state: int, event: Added) -> int:
        """Return the sum after one more number."""
        return state + event.amount


class Codec:
    """A number as text."""

    def encode(self, event: Added) -> Encoded:
        """Return the stored form."""
        return Part.FACTS, "sparrow.test.added.v1", 1, str(event.amount).encode()

    def decode(self, recorded: RecordedEvent) -> Added:
        """Return the event."""
        return Added(int(recorded.data))


Tallies = Repository[int, Added, Refusal]


def tallies(store: EventStore, *, states_max: int = 100) -> Tallies:
    """Return a repository of tallies, as one replica of a service has it."""
    return Repository(Evolution(), Codec(), store, states_max=states_max)


@dataclass(frozen=True)
class Add:
    """Add numbers, each an event of its own; refuse what would pass the limit."""

    amounts: tuple[int, ...]

    def __call__(self, state: int) -> list[Added] | Refusal:
        """Decide."""
        if state + sum(self.amounts) > LIMIT:
            return Refusal.OVER_LIMIT
        return [Added(amount) for amount in self.amounts]
