"""Games of several seats: what a player sees of the others, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from libs.pb.sparrow.match.v1 import match_pb2 as match


class Mode(StrEnum):
    """What is played."""

    SINGLE = "single"
    QUICK = "quick"
    """Two seats, one round."""
    ARENA = "arena"
    """Four seats, three rounds."""
    RACE = "race"
    """Up to twenty seats, each on its own board."""
    POOL = "pool"
    """Training, or two to four for a pot of chips."""
    TOURNAMENT = "tournament"
    """A table of a tournament: two to four seats, one round."""


class Out(StrEnum):
    """Why a seat plays no further."""

    IDLE = "idle"
    """20 seconds without a pair."""
    LEFT = "left"


class Ending(StrEnum):
    """Why a round is over."""

    CLEARED = "cleared"
    TIME = "time"
    ALL_OUT = "all_out"
    CUT = "cut"
    """The tournament ended."""


class PairKind(StrEnum):
    """Why a pair of a round is worth what it is worth."""

    PLAIN = "plain"
    PACE = "pace"
    """Faster than any pair of this seat before."""
    CRUCIAL = "crucial"
    """It was the only available pair that kept the board solvable."""
    JOKER = "joker"


@dataclass(frozen=True, slots=True)
class PairWorth:
    """What a pair brought to the round score, and why."""

    kind: PairKind
    worth: int


@dataclass(frozen=True, slots=True)
class OwnPart:
    """The player's own part of a round, beside the board and the round score.

    `record_ms` is the shortest time of a pair so far; at `idle_deadline`, by the server's clock, the seat
    goes out unless it removes a pair before. Each is none where there is none.
    """

    out: Out | None
    record_ms: int | None
    idle_deadline: datetime | None


@dataclass(frozen=True, slots=True)
class SeatProgress:
    """How far a player has come; `out` is none while that player plays."""

    player: str
    tiles_left: int
    round_score: int
    out: Out | None


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How one seat ended; ties share a place, `points` are account points."""

    player: str
    place: int
    round_score: int
    cleared: bool
    points: int


@dataclass(frozen=True, slots=True)
class SeatStanding:
    """Where a seat of a match of several rounds stands by those that are over.

    Ties share a place; `points` are account points, 0 until the match is over.
    """

    player: str
    place: int
    score: int
    round_scores: tuple[int, ...]
    left: bool
    points: int


@dataclass(frozen=True, slots=True)
class RoundResult:
    """How a round ended, by seat."""

    ending: Ending
    seats: tuple[SeatResult, ...]


@dataclass(frozen=True, slots=True)
class RoundOf:
    """Which of several rounds is played, or dealt for after the break, and how those before it ended."""

    number: int
    count: int
    earlier: tuple[RoundResult, ...]


@dataclass(frozen=True, slots=True)
class TournamentTable:
    """What a match is for: `tournament` is "tournaments/<uuid>"; it ends at `cut_time` at the latest."""

    tournament: str
    round_number: int
    cut_time: datetime


@dataclass(frozen=True, slots=True)
class Seats:
    """All that a game of several seats has beside its board; everything is empty in single player.

    `start_time` is when the clock began, or will; `commitment` is SHA-256 over the deal, in hex: the reveal
    at the end is checked against it.
    """

    opponents: tuple[SeatProgress, ...] = ()
    round_score: int | None = None
    own: OwnPart | None = None
    round_result: RoundResult | None = None
    commitment: str = ""
    start_time: datetime | None = None
    round: RoundOf | None = None
    standings: tuple[SeatStanding, ...] = ()
    rematch_until: datetime | None = None
    """Until when a match that is over offers a rematch."""
    tournament: TournamentTable | None = None


NO_SEATS: Final = Seats()
_MODE_OF: Final[Mapping[int, Mode]] = {
    match.MODE_SINGLE_PLAYER: Mode.SINGLE,
    match.MODE_QUICK_MATCH: Mode.QUICK,
    match.MODE_ARENA: Mode.ARENA,
    match.MODE_TOURNAMENT: Mode.TOURNAMENT,
}
_OUT_OF: Final[Mapping[int, Out]] = {match.OUT_REASON_IDLE: Out.IDLE, match.OUT_REASON_LEFT: Out.LEFT}
_KIND_OF: Final[Mapping[int, PairKind]] = {
    match.PAIR_KIND_PLAIN: PairKind.PLAIN,
    match.PAIR_KIND_PACE: PairKind.PACE,
    match.PAIR_KIND_CRUCIAL: PairKind.CRUCIAL,
    match.PAIR_KIND_JOKER: PairKind.JOKER,
}
_ENDING_OF: Final[Mapping[int, Ending]] = {
    match.ROUND_ENDING_CLEARED: Ending.CLEARED,
    match.ROUND_ENDING_TIME: Ending.TIME,
    match.ROUND_ENDING_ALL_OUT: Ending.ALL_OUT,
    match.ROUND_ENDING_CUT: Ending.CUT,
}


def mode_of(message: match.Match) -> Mode:
    """Translate what is played."""
    return _MODE_OF.get(message.mode, Mode.SINGLE)


def seats_of(message: match.Match) -> Seats:
    """Translate all that a game of several seats has beside its board."""
    return Seats(
        opponents=opponents_of(message),
        round_score=round_score_of(message),
        own=own_part_of(message),
        round_result=round_result_of(message),
        commitment=message.commitment.hex(),
        start_time=message.start_time.ToDatetime(UTC) if message.HasField("start_time") else None,
        round=round_of(message),
        standings=standings_of(message),
        rematch_until=rematch_until_of(message),
        tournament=tournament_table_of(message),
    )


def tournament_table_of(message: match.Match) -> TournamentTable | None:
    """Translate which tournament a match is played for; none where it is for none."""
    if not message.HasField("tournament_table"):
        return None
    told = message.tournament_table
    return TournamentTable(told.tournament, told.round_number, told.cut_time.ToDatetime(UTC))


def rematch_until_of(message: match.Match | match.MatchUpdate) -> datetime | None:
    """Translate until when a match that is over offers a rematch."""
    return message.rematch_offer.expire_time.ToDatetime(UTC) if message.HasField("rematch_offer") else None


def opponents_of(message: match.Match | match.MatchUpdate) -> tuple[SeatProgress, ...]:
    """Translate the opponents, by seat; none in single player."""
    return tuple(
        SeatProgress(seat.player, seat.tiles_left, seat.round_score, _OUT_OF.get(seat.out))
        for seat in message.opponents
    )


def round_score_of(message: match.Match | match.MatchUpdate) -> int | None:
    """Translate the player's own round score; none in single player and before the signal."""
    return message.own_round.round_score if message.HasField("own_round") else None


def own_part_of(message: match.Match | match.MatchUpdate) -> OwnPart | None:
    """Translate the player's own part; none in single player and before the signal."""
    if not message.HasField("own_round"):
        return None
    own = message.own_round
    return OwnPart(
        out=_OUT_OF.get(own.out),
        record_ms=own.record_ms if own.HasField("record_ms") else None,
        idle_deadline=own.idle_deadline.ToDatetime(UTC) if own.HasField("idle_deadline") else None,
    )


def pair_worth_of(message: match.MatchUpdate) -> PairWorth | None:
    """Translate what a pair was worth; none in single player, and where no pair went."""
    kind = _KIND_OF.get(message.pair_kind)
    return None if kind is None else PairWorth(kind, message.worth)


def round_result_of(message: match.Match | match.MatchUpdate) -> RoundResult | None:
    """Translate how a round ended; none while it goes on."""
    return _result_of(message.round_result) if message.HasField("round_result") else None


def standings_of(message: match.Match | match.MatchUpdate) -> tuple[SeatStanding, ...]:
    """Translate the standings, by seat; none where no round of several is over."""
    return tuple(
        SeatStanding(seat.player, seat.place, seat.score, tuple(seat.round_scores), seat.left, seat.points)
        for seat in message.standings
    )


def round_of(message: match.Match) -> RoundOf | None:
    """Translate which of several rounds it is; none in other games."""
    if not message.round_count:
        return None
    earlier = tuple(map(_result_of, message.earlier_rounds))
    return RoundOf(message.round_number, message.round_count, earlier)


def _result_of(told: match.RoundResult) -> RoundResult:
    seats = (
        SeatResult(seat.player, seat.place, seat.round_score, seat.cleared, seat.points)
        for seat in told.seats
    )
    return RoundResult(_ENDING_OF[told.ending], tuple(seats))
