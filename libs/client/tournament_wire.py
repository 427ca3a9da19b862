"""Tournaments, translated from and to the wire."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TypeVar

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from libs.client.tournament_views import (
    NextRound,
    OperatorGround,
    OwnPart,
    Tournament,
    TournamentCancelling,
    TournamentEnding,
    TournamentKind,
    TournamentLine,
    TournamentPhase,
    TournamentPrize,
    TournamentRound,
    TournamentSeat,
    TournamentSeries,
    TournamentStatus,
    TournamentTable,
    TournamentTerms,
    TournamentTimes,
)
from libs.pb.sparrow.tournament.v1 import tournament_page_pb2 as page
from libs.pb.sparrow.tournament.v1 import tournament_pb2 as wire
from libs.pb.sparrow.tournament.v1 import tournament_service_pb2 as calls

M = TypeVar("M", bound=Message)

KIND_TO_WIRE = {
    TournamentKind.ORDINARY: wire.TOURNAMENT_KIND_ORDINARY,
    TournamentKind.CHAMPIONS: wire.TOURNAMENT_KIND_CHAMPIONS,
}
GROUND_TO_WIRE = {
    OperatorGround.FAIR_PLAY: wire.OPERATOR_GROUND_FAIR_PLAY,
    OperatorGround.FAULT: wire.OPERATOR_GROUND_FAULT,
    OperatorGround.OTHER: wire.OPERATOR_GROUND_OTHER,
}
PHASE_TO_WIRE = {
    TournamentPhase.UPCOMING: calls.TOURNAMENT_PHASE_UPCOMING,
    TournamentPhase.RUNNING: calls.TOURNAMENT_PHASE_RUNNING,
    TournamentPhase.OVER: calls.TOURNAMENT_PHASE_OVER,
}


def tournament_of(message: page.Tournament) -> Tournament:
    """Translate a page."""
    return Tournament(
        name=message.name,
        terms=terms_of(message.terms),
        status=TournamentStatus(_word(page.TournamentStatus.Name(message.status), "TOURNAMENT_STATUS_")),
        open_time=message.open_time.ToDatetime(UTC),
        start_time=message.start_time.ToDatetime(UTC),
        end_time=message.end_time.ToDatetime(UTC),
        series=message.series or None,
        registered=message.registered,
        next_time=_moment(message, "next_time"),
        round=_round_of(message.round) if message.HasField("round") else None,
        next_rounds=tuple(
            NextRound(each.number, each.multiplier, _moment(each, "start_time"))
            for each in message.next_rounds
        ),
        ending=_ending_of(message.ending),
        cancelling=_cancelling_of(message.cancelling),
        own=_own_of(message.own) if message.HasField("own") else None,
    )


def line_of(message: page.TournamentLine) -> TournamentLine:
    """Translate a line of a standing."""
    return TournamentLine(
        place=message.place,
        player=message.player,
        points=message.tournament_points,
        withdrawn=message.withdrawn,
        dropped=message.dropped,
        prize=_prize_of(message.prize) if message.HasField("prize") else None,
    )


def table_of(message: page.TournamentTable) -> TournamentTable:
    """Translate a table."""
    seats = tuple(
        TournamentSeat(
            player=seat.player,
            place=seat.place,
            round_score=seat.round_score,
            cleared=seat.cleared,
            acted=seat.acted,
            points=seat.tournament_points,
            voided=seat.voided,
        )
        for seat in message.seats
    )
    return TournamentTable(message.table, message.match, seats, message.over, message.cut)


def series_of(message: page.TournamentSeries) -> TournamentSeries:
    """Translate a series."""
    return TournamentSeries(
        name=message.name,
        first_day=date.fromisoformat(message.first_day),
        clock=message.clock,
        recurrence=message.recurrence,
        terms=terms_of(message.terms),
        going=message.going,
    )


def terms_of(message: wire.TournamentTerms) -> TournamentTerms:
    """Translate terms."""
    return TournamentTerms(
        title=message.name,
        duration=message.duration.ToTimedelta(),
        minimum=message.minimum,
        maximum=message.maximum,
        prizes=tuple(map(_prize_of, message.prizes)),
        multipliers=tuple(message.multipliers),
        weekly_prize_points=message.weekly_prize_points,
        kind=TournamentKind(_word(wire.TournamentKind.Name(message.kind), "TOURNAMENT_KIND_")),
        times=TournamentTimes(
            registration=message.times.registration.ToTimedelta(),
            pause=message.times.pause.ToTimedelta(),
            round_limit=message.times.round_limit.ToTimedelta(),
        ),
    )


def terms_message(terms: TournamentTerms) -> wire.TournamentTerms:
    """Terms as they are sent."""
    message = wire.TournamentTerms(
        name=terms.title,
        minimum=terms.minimum,
        maximum=terms.maximum,
        prizes=[
            wire.PlacePrize(points=prize.points, jokers=prize.jokers, cup_kind=prize.cup)
            for prize in terms.prizes
        ],
        multipliers=terms.multipliers,
        weekly_prize_points=terms.weekly_prize_points,
        kind=KIND_TO_WIRE[terms.kind],
        times=wire.TournamentTimes(registration=Duration(), pause=Duration(), round_limit=Duration()),
    )
    message.duration.FromTimedelta(terms.duration)
    message.times.registration.FromTimedelta(terms.times.registration)
    message.times.pause.FromTimedelta(terms.times.pause)
    message.times.round_limit.FromTimedelta(terms.times.round_limit)
    return message


def moment(at: datetime) -> Timestamp:
    """An instant as it is sent."""
    stamp = Timestamp()
    stamp.FromDatetime(at.astimezone(UTC))
    return stamp


def _round_of(message: page.TournamentRound) -> TournamentRound:
    return TournamentRound(message.number, message.multiplier, message.tables, message.tables_over)


def _own_of(message: page.OwnPart) -> OwnPart:
    return OwnPart(
        registered=message.registered,
        withdrawn=message.withdrawn,
        dropped=message.dropped,
        place=message.place,
        points=message.tournament_points,
        match=message.match or None,
        prize=_prize_of(message.prize) if message.HasField("prize") else None,
        entry_refusal=message.entry_refusal,
        entry_refusal_text=message.entry_refusal_text,
        prize_points=message.prize_points if message.HasField("prize_points") else None,
    )


def _prize_of(message: wire.PlacePrize) -> TournamentPrize:
    return TournamentPrize(message.points, message.jokers, message.cup_kind)


def _ending_of(ending: wire.TournamentEnding.ValueType) -> TournamentEnding | None:
    if ending == wire.TOURNAMENT_ENDING_UNSPECIFIED:
        return None
    return TournamentEnding(_word(wire.TournamentEnding.Name(ending), "TOURNAMENT_ENDING_"))


def _cancelling_of(cancelling: wire.TournamentCancelling.ValueType) -> TournamentCancelling | None:
    if cancelling == wire.TOURNAMENT_CANCELLING_UNSPECIFIED:
        return None
    return TournamentCancelling(_word(wire.TournamentCancelling.Name(cancelling), "TOURNAMENT_CANCELLING_"))


def _moment(message: page.Tournament | page.NextRound, field: str) -> datetime | None:
    stamp: Timestamp = getattr(message, field)
    return stamp.ToDatetime(UTC) if message.HasField(field) else None  # type: ignore[arg-type]


def _word(name: str, prefix: str) -> str:
    return name.removeprefix(prefix).lower()
