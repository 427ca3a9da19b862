"""Words that events of tournaments share, to protobuf and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Final, TypeVar
from uuid import UUID

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from libs.pb.sparrow.tournament.v1 import tournament_event_pb2
from libs.pb.sparrow.tournament.v1 import tournament_pb2 as pb
from services.tournament.domain.tournament.terms import (
    Kind,
    OpenToAll,
    Prize,
    Terms,
    Times,
    WeeklyPrizePoints,
)
from services.tournament.domain.tournament.words import (
    Award,
    Cancelling,
    Ending,
    Ground,
    Line,
    Plan,
    SeatEnd,
    SeatResult,
    Table,
)

K = TypeVar("K")
V = TypeVar("V")

KINDS: Final = {
    Kind.ORDINARY: pb.TOURNAMENT_KIND_ORDINARY,
    Kind.CHAMPIONS: pb.TOURNAMENT_KIND_CHAMPIONS,
}
ENDINGS: Final = {
    Ending.ROUNDS: pb.TOURNAMENT_ENDING_ROUNDS,
    Ending.TIME: pb.TOURNAMENT_ENDING_TIME,
    Ending.ONE_LEFT: pb.TOURNAMENT_ENDING_ONE_LEFT,
    Ending.OPERATOR: pb.TOURNAMENT_ENDING_OPERATOR,
}
CANCELLINGS: Final = {
    Cancelling.TOO_FEW: pb.TOURNAMENT_CANCELLING_TOO_FEW,
    Cancelling.OPERATOR: pb.TOURNAMENT_CANCELLING_OPERATOR,
}
GROUNDS: Final = {
    None: pb.OPERATOR_GROUND_UNSPECIFIED,
    Ground.FAIR_PLAY: pb.OPERATOR_GROUND_FAIR_PLAY,
    Ground.FAULT: pb.OPERATOR_GROUND_FAULT,
    Ground.OTHER: pb.OPERATOR_GROUND_OTHER,
}


def key_of(table: Mapping[K, V], value: V) -> K:
    """The word behind a stored number."""
    return next(key for key, number in table.items() if number == value)


def duration(span: timedelta) -> Duration:
    """A span of time."""
    message = Duration()
    message.FromTimedelta(span)
    return message


def timestamp(at: datetime) -> Timestamp:
    """An instant, to the microsecond."""
    message = Timestamp()
    message.FromDatetime(at)
    return message


def instant(message: Timestamp) -> datetime:
    """The stored instant, in UTC."""
    return message.ToDatetime(tzinfo=UTC)


def scheduled_message(plan: Plan) -> tournament_event_pb2.TournamentScheduled:
    """A tournament as it was scheduled."""
    return tournament_event_pb2.TournamentScheduled(
        tournament_id=str(plan.tournament_id),
        terms=terms_message(plan.terms),
        start_time=timestamp(plan.starts_at),
        series_id="" if plan.series_id is None else str(plan.series_id),
        day="" if plan.day is None else plan.day.isoformat(),
    )


def plan_of(message: tournament_event_pb2.TournamentScheduled) -> Plan:
    """The stored plan."""
    return Plan(
        tournament_id=UUID(message.tournament_id),
        terms=terms_of(message.terms),
        starts_at=instant(message.start_time),
        series_id=UUID(message.series_id) if message.series_id else None,
        day=date.fromisoformat(message.day) if message.day else None,
    )


def terms_message(terms: Terms) -> pb.TournamentTerms:
    """What is laid down for a tournament."""
    times = terms.times
    return pb.TournamentTerms(
        name=terms.name,
        duration=duration(terms.duration),
        minimum=terms.minimum,
        maximum=terms.maximum,
        prizes=map(prize_message, terms.prizes),
        multipliers=terms.rounds,
        weekly_prize_points=0 if isinstance(terms.entry, OpenToAll) else terms.entry.points,
        kind=KINDS[terms.kind],
        times=pb.TournamentTimes(
            registration=duration(times.registration),
            pause=duration(times.pause),
            round_limit=duration(times.round_limit),
        ),
    )


def terms_of(message: pb.TournamentTerms) -> Terms:
    """The stored terms."""
    times, points = message.times, message.weekly_prize_points
    return Terms(
        name=message.name,
        duration=message.duration.ToTimedelta(),
        minimum=message.minimum,
        maximum=message.maximum,
        prizes=tuple(map(_prize_of, message.prizes)),
        rounds=tuple(message.multipliers),
        entry=WeeklyPrizePoints(points) if points else OpenToAll(),
        kind=key_of(KINDS, message.kind),
        times=Times(
            times.registration.ToTimedelta(), times.pause.ToTimedelta(), times.round_limit.ToTimedelta()
        ),
    )


def prize_message(prize: Prize) -> pb.PlacePrize:
    """What a place brings."""
    return pb.PlacePrize(points=prize.points, jokers=prize.jokers, cup_kind=prize.cup)


def _prize_of(message: pb.PlacePrize) -> Prize:
    return Prize(message.points, message.jokers, message.cup_kind)


def seating_message(table: Table) -> pb.TableSeating:
    """A table of a round."""
    return pb.TableSeating(match_id=str(table.match_id), registrations=table.players)


def seating_of(message: pb.TableSeating) -> Table:
    """The stored table."""
    return Table(UUID(message.match_id), tuple(message.registrations))


def seat_message(end: SeatEnd) -> pb.TableSeatEnd:
    """How a seat ended."""
    return pb.TableSeatEnd(
        registration=end.player,
        round_score=end.result.score,
        cleared=end.result.cleared,
        acted=end.result.acted,
        place=end.place,
        tournament_points=end.points,
    )


def seat_of(message: pb.TableSeatEnd) -> SeatEnd:
    """The stored end of a seat."""
    result = SeatResult(message.round_score, message.cleared, message.acted)
    return SeatEnd(message.registration, result, message.place, message.tournament_points)


def line_message(line: Line) -> pb.StandingLine:
    """A line of a standing."""
    return pb.StandingLine(registration=line.player, tournament_points=line.points)


def lines_of(messages: Iterable[pb.StandingLine]) -> tuple[Line, ...]:
    """A stored standing."""
    return tuple(Line(message.registration, message.tournament_points) for message in messages)


def award_message(award: Award) -> pb.PrizeAward:
    """A prize of one player."""
    return pb.PrizeAward(
        number=award.number,
        place=award.place,
        registration=award.player,
        account_id=str(award.account_id),
        prize=prize_message(award.goods),
    )


def awards_of(messages: Iterable[pb.PrizeAward]) -> tuple[Award, ...]:
    """Stored prizes."""
    return tuple(
        Award(each.number, each.place, each.registration, UUID(each.account_id), _prize_of(each.prize))
        for each in messages
    )
