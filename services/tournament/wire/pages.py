"""Tournaments as they are shown, as messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from libs.pb.sparrow.tournament.v1 import tournament_page_pb2 as pb
from libs.pb.sparrow.tournament.v1 import tournament_pb2 as words_pb
from libs.runtime.errors import Refused
from libs.runtime.languages.endings import LANGUAGE
from libs.runtime.languages.reasons import reason_text
from libs.runtime.names import match_name, player_name, series_name, tournament_name
from services.tournament.domain.series.state import Going, Stopped
from services.tournament.domain.tournament.page import NextRound, Page, StandingRow, Status
from services.tournament.domain.tournament.state import Field, RoundRow, TableRow
from services.tournament.domain.tournament.terms import Prize
from services.tournament.domain.tournament.words import SeatEnd
from services.tournament.wire.words import (
    CANCELLINGS,
    ENDINGS,
    prize_message,
    terms_message,
    timestamp,
)

STATUSES: Final = {
    Status.SCHEDULED: pb.TOURNAMENT_STATUS_SCHEDULED,
    Status.REGISTRATION: pb.TOURNAMENT_STATUS_REGISTRATION,
    Status.RUNNING: pb.TOURNAMENT_STATUS_RUNNING,
    Status.COUNTING: pb.TOURNAMENT_STATUS_COUNTING,
    Status.FINISHED: pb.TOURNAMENT_STATUS_FINISHED,
    Status.CANCELLED: pb.TOURNAMENT_STATUS_CANCELLED,
}


@dataclass(frozen=True, slots=True)
class Own:
    """How an account stands to a tournament."""

    is_in: bool
    withdrawn: bool
    row: StandingRow | None
    """None without a standing."""
    match_id: UUID | None
    """The own table of the round that is played, until it is over."""
    prize: Prize | None
    refusal: Refused | None
    """Why it could not register now; None where it could, or has."""
    prize_points: int | None


def tournament_message(page: Page, last_round: RoundRow | None) -> pb.Tournament:
    """The page, without how anybody stands to it."""
    plan = page.plan
    return pb.Tournament(
        name=tournament_name(plan.tournament_id),
        terms=terms_message(plan.terms),
        status=STATUSES[page.status],
        open_time=timestamp(plan.opens_at),
        start_time=timestamp(plan.starts_at),
        end_time=timestamp(plan.ends_at),
        series="" if plan.series_id is None else series_name(plan.series_id),
        registered=page.registered,
        next_time=None if page.next_at is None else timestamp(page.next_at),
        round=None if last_round is None else _round_message(last_round),
        next_rounds=map(_next_round, page.next_rounds),
        ending=words_pb.TOURNAMENT_ENDING_UNSPECIFIED if page.ending is None else ENDINGS[page.ending],
        cancelling=(
            words_pb.TOURNAMENT_CANCELLING_UNSPECIFIED
            if page.cancelling is None
            else CANCELLINGS[page.cancelling]
        ),
    )


def own_message(own: Own) -> pb.OwnPart:
    """How the caller stands to a tournament, in the language of the running call."""
    message = pb.OwnPart(
        registered=own.is_in,
        withdrawn=own.withdrawn,
        match="" if own.match_id is None else match_name(own.match_id),
        prize=None if own.prize is None else prize_message(own.prize),
        prize_points=own.prize_points,
    )
    if own.row is not None:
        message.place, message.tournament_points = own.row.place, own.row.points
        message.dropped = own.row.dropped
    if own.refusal is not None:
        told = own.refusal
        message.entry_refusal = told.reason
        message.entry_refusal_text = reason_text(
            told.reason, LANGUAGE.get(), told.metadata, told.retry_after_ms
        )
    return message


def line_message(row: StandingRow, prizes: Mapping[UUID, Prize]) -> pb.TournamentLine:
    """A line of the standing."""
    prize = prizes.get(row.account_id)
    return pb.TournamentLine(
        place=row.place,
        player=player_name(row.account_id),
        tournament_points=row.points,
        withdrawn=row.withdrawn,
        dropped=row.dropped,
        prize=None if prize is None else prize_message(prize),
    )


def table_message(field: Field, table: int, row: TableRow) -> pb.TournamentTable:
    """A table of a round, with its results once they are there."""
    ends: Mapping[int, SeatEnd] = {end.player: end for end in row.ends or ()}
    return pb.TournamentTable(
        table=table,
        match=match_name(row.table.match_id),
        seats=[
            _seat_message(field.entrants[player].account_id, ends.get(player), voided=player in row.voided)
            for player in row.table.players
        ],
        over=row.ended_at is not None,
        cut=row.is_cut,
    )


def series_message(state: Going | Stopped) -> pb.TournamentSeries:
    """A series."""
    series = state.series
    return pb.TournamentSeries(
        name=series_name(series.series_id),
        first_day=series.rule.first_day.isoformat(),
        clock=f"{series.rule.clock:%H:%M}",
        recurrence=series.rule.recurrence,
        terms=terms_message(series.terms),
        going=isinstance(state, Going),
    )


def _round_message(played: RoundRow) -> pb.TournamentRound:
    return pb.TournamentRound(
        number=played.number,
        multiplier=played.multiplier,
        tables=len(played.tables),
        tables_over=sum(row.ended_at is not None for row in played.tables),
    )


def _next_round(coming: NextRound) -> pb.NextRound:
    return pb.NextRound(
        number=coming.number,
        multiplier=coming.multiplier,
        start_time=None if coming.starts_at is None else timestamp(coming.starts_at),
    )


def _seat_message(account_id: UUID, end: SeatEnd | None, *, voided: bool) -> pb.TournamentTableSeat:
    message = pb.TournamentTableSeat(player=player_name(account_id), voided=voided)
    if end is not None:
        message.place, message.tournament_points = end.place, end.points
        message.round_score, message.cleared = end.result.score, end.result.cleared
        message.acted = end.result.acted
    return message
