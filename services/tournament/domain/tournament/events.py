"""Past facts of a tournament. One stream per tournament; its tables are matches of another service."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from services.tournament.domain.tournament.words import (
    Award,
    Cancelling,
    Ending,
    Ground,
    Line,
    Plan,
    Player,
    SeatEnd,
    Table,
)


@dataclass(frozen=True, slots=True)
class TournamentScheduled:
    """It will take place."""

    plan: Plan
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class RegistrationOpened:
    """Players may enter."""

    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class PlayerRegistered:
    """Somebody entered."""

    player: Player
    account_id: UUID
    prize_points: int | None
    """What the ledger said of the player's week; None where nobody asked."""
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class PlayerWithdrew:
    """Before the start: out as if never in. After it: seated no more."""

    player: Player
    account_id: UUID
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class TournamentStarted:
    """There were enough. The seed seats the first round; nobody could know it before."""

    seed: bytes
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class RoundSeated:
    """A round begins: these matches are to be played, until `ends_at` at the latest."""

    number: int
    """From 1."""
    multiplier: int
    tables: tuple[Table, ...]
    ends_at: datetime
    """The tournament's end: a table cuts itself then."""
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class TablePlayed:
    """A table of a round is over."""

    round_number: int
    table: int
    """From 0, in the order of the seating."""
    match_id: UUID
    ends: tuple[SeatEnd, ...]
    """By seat."""
    is_cut: bool
    """By the tournament's end; it counts as it stood."""
    ended_at: datetime
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """All its tables are over."""

    number: int
    next_at: datetime | None
    """When the next one begins; None where none follows."""
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class TournamentClosing:
    """The end has come: tables that are still played are cut, and count as they stand."""

    reason: Ending
    ground: Ground | None
    """An operator's; None where no operator ended it."""
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class TournamentFinished:
    """The final standing."""

    reason: Ending
    standing: tuple[Line, ...]
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class PrizesAwarded:
    """To be paid, each once, as received at `finished_at`."""

    awards: tuple[Award, ...]
    finished_at: datetime
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class PrizesRevoked:
    """A correction took these away: what was paid under their numbers is reversed."""

    awards: tuple[Award, ...]
    finished_at: datetime
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class ResultVoided:
    """An operator took results out: these players get no TP for that table; the others keep theirs."""

    round_number: int
    table: int
    players: tuple[Player, ...]
    ground: Ground
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class StandingCorrected:
    """The final standing after a result was voided."""

    standing: tuple[Line, ...]
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class TournamentCancelled:
    """It does not take place, or not to its end: nothing is paid."""

    reason: Cancelling
    ground: Ground | None
    """An operator's; None where no operator cancelled it."""
    occurred_at: datetime


Event = (
    TournamentScheduled
    | RegistrationOpened
    | PlayerRegistered
    | PlayerWithdrew
    | TournamentStarted
    | RoundSeated
    | TablePlayed
    | RoundEnded
    | TournamentClosing
    | TournamentFinished
    | PrizesAwarded
    | PrizesRevoked
    | ResultVoided
    | StandingCorrected
    | TournamentCancelled
)
"""All facts of a tournament."""
