"""How long a consumer waits for what, what it says of itself, and why it stops."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


class VersionUnknown(Exception):
    """An entry of a declared type whose version is newer than this consumer knows."""


class FeedDiverged(Exception):
    """The owner's feed is not the one that was followed so far: its database is another, or an older one."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a consumer waits for what, in seconds."""

    idle_wait_s: float = 0.5  # one fetch, when nothing is known to be missing
    missing_wait_s: float = 0.2  # one fetch, when the head is beyond what arrived
    silence_s: float = 10.0  # nothing heard at all: ask the owner
    outage_poll_s: float = 1.0  # between questions to the owner while the bus is away
    deaf_s: float = 10.0  # the owner had news, and the bus brought nothing for so long: make the durable anew
    retry_first_s: float = 0.5  # after an error while applying; doubled each time
    retry_max_s: float = 30.0


@dataclass
class Progress:
    """What a consumer says of itself, for readiness, metrics and tests."""

    last: int = 0
    head: int = 0
    stopped: str | None = None  # why it does not go on
    from_bus: int = 0  # entries
    from_owner: int = 0
    strangers: int = 0  # entries of another history that the bus brought, dropped
    recreated: int = 0  # durable consumers made anew by the watchdog
    running: bool = False  # whether it is this process that follows
    last_at: datetime | None = None  # when the last entry done in this life was sequenced

    @property
    def lag(self) -> int:
        """Entries known to exist that are not done."""
        return max(self.head - self.last, 0)
