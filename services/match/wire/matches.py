"""Matches and levels on the wire."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from libs.pb.sparrow.match.v1 import match_pb2 as pb
from libs.pb.sparrow.match.v1 import match_service_pb2 as service_pb
from libs.runtime.names import layout_name, match_name, player_name
from services.match.commands import Deal
from services.match.domain.listing import Best, ListedAttempt
from services.match.domain.state import Begun, elapsed_ms, ending_of
from services.match.wire.boards import (
    board_message,
    match_state,
    next_match,
    own_jokers,
    result_message,
    timestamp,
)


def match_message(match_id: UUID, state: Begun, at: datetime) -> pb.Match:
    """A match with its board; a running clock is read at `at`."""
    deal, ending = state.attempt.deal, ending_of(state)
    listed = ListedAttempt(
        attempt_id=match_id,
        account_id=state.attempt.account_id,
        level=deal.level,
        catalogue_version=deal.catalogue_version,
        hard=deal.hard,
        started_at=state.attempt.started_at,
        clock_since=state.clock_since,
        ended_at=state.last_at if ending is not None else None,
        ending=ending,
    )
    message = listed_match(listed, max(at, state.last_at))
    message.board.CopyFrom(board_message(state.seat, deal.layout_title))
    if state.jokers.requested:
        message.own_round.CopyFrom(own_jokers(state))
    return message


def listed_match(row: ListedAttempt, at: datetime) -> pb.Match:
    """A match without its board; a running clock is read at `at`."""
    until = at if row.ended_at is None else row.ended_at
    return pb.Match(
        name=match_name(row.attempt_id),
        mode=pb.MODE_SINGLE_PLAYER,
        state=match_state(row.ending),
        player=player_name(row.account_id),
        level=row.level,
        hard=row.hard,
        catalogue_version=row.catalogue_version,
        start_time=timestamp(row.started_at),
        end_time=timestamp(row.ended_at) if row.ended_at is not None else None,
        elapsed_ms=elapsed_ms(row.clock_since, until),
        result=result_message(row.ending),
        next_match=next_match(row.ending),
    )


def level_message(deal: Deal, own: Best | None) -> pb.Level:
    """A level and what the caller has done on it."""
    return pb.Level(
        level=deal.level,
        hard=deal.hard,
        layout=layout_name(deal.layout.name),
        tile_count=deal.layout.size,
        completed=own is not None,
        best_ms=own.best_ms if own is not None else 0,
    )


def bests_message(bests: Iterable[Best], own: Best | None) -> service_pb.ListLevelBestsResponse:
    """The table of a level."""
    return service_pb.ListLevelBestsResponse(
        bests=[_best(row) for row in bests], own=_best(own) if own is not None else None
    )


def _best(row: Best) -> pb.LevelBest:
    return pb.LevelBest(place=row.place, player=player_name(row.account_id), elapsed_ms=row.best_ms)
