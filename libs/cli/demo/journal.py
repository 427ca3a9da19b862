"""What the bots of a demo saw acknowledged, and how long they waited for it."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from libs.cli.demo.table_points import TableJournal
from libs.client.results import LevelResult
from libs.client.rounds import Mode, SeatResult, SeatStanding


@dataclass(frozen=True)
class Acknowledged:
    """A level that the server said was cleared, or a match that it said was over, at the instant it named.

    `level` is 0 for a match.
    """

    match: str
    player: str
    level: int
    at: datetime
    result: LevelResult | SeatResult | SeatStanding
    mode: Mode = Mode.SINGLE


@dataclass(frozen=True)
class Pot:
    """A match of the pool that is over: the stake, who paid it, and what everybody got out."""

    stake: int
    paid: frozenset[str]
    payouts: Mapping[str, int]

    def brought(self, player: str) -> int:
        """How many chips the match brought a player; negative where it cost some."""
        return self.payouts.get(player, 0) - self.stake * (player in self.paid)


@dataclass
class Journal:
    """Everything that was acknowledged. Instants are monotonic seconds, handed in."""

    monotonic: Callable[[], float]
    results: dict[str, Acknowledged] = field(default_factory=dict)
    """Cleared levels, by match."""
    seats: dict[tuple[str, str], Acknowledged] = field(default_factory=dict)
    """Ended matches of several seats, by match and player."""
    races: set[str] = field(default_factory=set)
    """Races that are over."""
    ratings: dict[str, int] = field(default_factory=dict)
    """What each racer's last race said of the rating."""
    pots: dict[str, Pot] = field(default_factory=dict)
    """Pool matches that are over, by match."""
    rematches: set[str] = field(default_factory=set)
    """Matches that were begun as rematches."""
    chips_before: dict[str, int] = field(default_factory=dict)
    """What the players of the pool had before their first match."""
    unended: dict[str, frozenset[str]] = field(default_factory=dict)
    """Pool matches that went on when nobody of the demo played them any more, with their players."""
    tables: TableJournal = field(default_factory=TableJournal)
    """What MCR tables told."""
    latencies_ms: list[float] = field(default_factory=list)
    attempts: int = 0
    restarts: int = 0
    retries: int = 0
    doubts: int = 0
    """Commands whose outcome had to be asked for, because the server failed or never answered."""
    recent: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=20_000))

    def accepted(self, latency_ms: float) -> None:
        """Note a command that was answered."""
        self.latencies_ms.append(latency_ms)
        self.recent.append((self.monotonic(), latency_ms))

    def cleared(self, acknowledged: Acknowledged) -> None:
        """Note a cleared level; a match counts once, however often it is told."""
        assert self.results.get(acknowledged.match, acknowledged) == acknowledged, "one match, two results"
        self.results[acknowledged.match] = acknowledged

    def ended(self, acknowledged: Acknowledged) -> None:
        """Note what a seat of a match got; it counts once."""
        seat = (acknowledged.match, acknowledged.player)
        assert self.seats.get(seat, acknowledged) == acknowledged, "one seat, two results"
        self.seats[seat] = acknowledged

    def raced(self, race: str, player: str, rating: int | None) -> None:
        """Note the end of a race, and what it said of a racer's rating."""
        self.races.add(race)
        if rating is not None:
            self.ratings[player] = rating

    def paid_out(self, match: str, pot: Pot) -> None:
        """Note the end of a pool match; every seat is told the same."""
        assert self.pots.get(match, pot) == pot, "one match, two pots"
        self.pots[match] = pot

    @property
    def chips(self) -> dict[str, int]:
        """How many chips each player of the pool must have."""
        return {
            player: before + sum(pot.brought(player) for pot in self.pots.values())
            for player, before in self.chips_before.items()
        }

    def matches(self, mode: Mode) -> int:
        """How many matches of a mode have ended."""
        return len({done.match for done in self.seats.values() if done.mode is mode})

    @property
    def acknowledged(self) -> list[Acknowledged]:
        """Everything that brought points, or might have."""
        return [*self.results.values(), *self.seats.values()]

    @property
    def points(self) -> int:
        """The sum of all points."""
        return sum(done.result.points for done in self.acknowledged)

    def last_seconds(self, seconds: float = 3.0) -> list[float]:
        """Return the latencies of the last seconds."""
        since = self.monotonic() - seconds
        while self.recent and self.recent[0][0] < since:
            self.recent.popleft()
        return [latency_ms for _, latency_ms in self.recent]


def quantile(values: list[float], share: float) -> float:
    """Return the value that a share of all values does not exceed (nearest rank); 0 for none."""
    if not values:
        return 0.0
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]
