"""The state of a tournament: a union of shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from services.tournament.domain.tournament.terms import Terms
from services.tournament.domain.tournament.words import (
    Award,
    Cancelling,
    Ending,
    Line,
    Plan,
    Player,
    SeatEnd,
    Table,
)


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who is in."""

    account_id: UUID
    registered_at: datetime
    withdrawn: bool = False
    """After the start: seated no more."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What the results of a player add up to, without those that an operator took out."""

    points: int = 0
    """TP."""
    misses: int = 0
    """Rounds in which the player was seated and made no move."""

    def with_end(self, end: SeatEnd, sign: int = 1) -> Tally:
        """With one more result, or with one less for a sign of -1."""
        return Tally(self.points + sign * end.points, self.misses + sign * (not end.result.acted))


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table of a round, and what came of it."""

    table: Table
    ends: tuple[SeatEnd, ...] | None = None
    """By seat; None while it is played, and where it was voided before it reported."""
    voided: frozenset[Player] = frozenset()
    ended_at: datetime | None = None
    """When it was over; None while it is played."""
    is_cut: bool = False
    """By the tournament's end."""


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A round that was seated."""

    number: int
    multiplier: int
    tables: tuple[TableRow, ...]

    @property
    def is_over(self) -> bool:
        """Whether all its tables are."""
        return all(row.ended_at is not None for row in self.tables)


@dataclass(frozen=True, slots=True)
class Field:
    """What a tournament keeps from its opening on."""

    plan: Plan
    entrants: Mapping[Player, Entrant]
    entered: Mapping[UUID, int]
    """How often each account registered."""
    tallies: Mapping[Player, Tally]
    """Of those who have results."""
    last_at: datetime
    registrations: int = 0
    """All there ever were: the number of the last one."""
    rounds: tuple[RoundRow, ...] = ()

    def tally_of(self, player: Player) -> Tally:
        """What a player has."""
        return self.tallies.get(player, Tally())

    @property
    def terms(self) -> Terms:
        """What was laid down."""
        return self.plan.terms

    def player_of(self, account_id: UUID) -> Player | None:
        """The player that an account is; None where it is not in."""
        return next((n for n, entrant in self.entrants.items() if entrant.account_id == account_id), None)


@dataclass(frozen=True, slots=True)
class NotScheduled:
    """A stream without facts."""


@dataclass(frozen=True, slots=True)
class Scheduled:
    """Registration opens later."""

    field: Field


@dataclass(frozen=True, slots=True)
class Registering:
    """Players enter and leave until the start."""

    field: Field


@dataclass(frozen=True, slots=True)
class Starting:
    """There are enough; the first round is seated with the same command."""

    field: Field
    seed: bytes


@dataclass(frozen=True, slots=True)
class Playing:
    """A round is played."""

    field: Field


@dataclass(frozen=True, slots=True)
class Break:
    """Between two rounds, or after the last one until the standing is told with the same command."""

    field: Field
    next_at: datetime | None


@dataclass(frozen=True, slots=True)
class Counting:
    """The end has come; tables that were cut report."""

    field: Field
    reason: Ending


@dataclass(frozen=True, slots=True)
class Finished:
    """The standing is final; only a voided result changes it."""

    field: Field
    reason: Ending
    finished_at: datetime
    standing: tuple[Line, ...]
    awards: tuple[Award, ...] = ()
    """Those that hold."""
    awards_made: int = 0
    """All there ever were: the number of the last one."""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Nothing changes any more, and nothing is paid."""

    field: Field
    reason: Cancelling


Running = Starting | Playing | Break
Existing = Scheduled | Registering | Running | Counting | Finished | Cancelled
State = NotScheduled | Existing
