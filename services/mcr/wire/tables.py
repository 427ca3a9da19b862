"""Tables as one seat sees them, to protobuf: the deal by its view, facts by what the seat is told of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.eventsourcing.following import Change, End, Heartbeat, Seen, Snapshot
from libs.pb.sparrow.mcr.v1 import deal_pb2
from libs.pb.sparrow.mcr.v1 import table_pb2 as pb
from libs.pb.sparrow.mcr.v1 import table_service_pb2 as service_pb
from libs.pb.sparrow.mcr.v1.deal_view_pb2 import DealView
from libs.rules.mcr.wall import WALL_VERSION
from libs.runtime.languages.endings import ending_text
from libs.runtime.names import player_name, table_name
from services.mcr.domain.deal.events import Event
from services.mcr.domain.deal.happenings import Happening, What, happening
from services.mcr.domain.deal.state import Dealt, Ended, NotDealt, State
from services.mcr.domain.deal.terms import Occupant, Person
from services.mcr.domain.deal.view import view_for
from services.mcr.domain.session.state import Closed, Opened
from services.mcr.domain.session.terms import totals
from services.mcr.wire.outcomes import outcome_message
from services.mcr.wire.table_codec import CLOSINGS
from services.mcr.wire.views import view_message
from services.mcr.wire.words import ACTED_BY, AI_LEVELS, SOURCES, answer_message, timestamp

KINDS: Final = {
    What.DEALT: pb.HAPPENING_KIND_DEALT,
    What.FLOWER: pb.HAPPENING_KIND_FLOWER,
    What.BEGAN: pb.HAPPENING_KIND_BEGAN,
    What.DREW: pb.HAPPENING_KIND_DREW,
    What.DISCARDED: pb.HAPPENING_KIND_DISCARDED,
    What.ANSWERED: pb.HAPPENING_KIND_ANSWERED,
    What.CLAIMED: pb.HAPPENING_KIND_CLAIMED,
    What.CONCEALED_KONG: pb.HAPPENING_KIND_CONCEALED_KONG,
    What.ADDED_KONG: pb.HAPPENING_KIND_ADDED_KONG,
    What.ENDED: pb.HAPPENING_KIND_ENDED,
    What.REVEALED: pb.HAPPENING_KIND_REVEALED,
    What.LEFT: pb.HAPPENING_KIND_LEFT,
    What.RETURNED: pb.HAPPENING_KIND_RETURNED,
    What.PAUSED: pb.HAPPENING_KIND_PAUSED,
}


def table_message(opened: Opened, deal: Dealt, account_id: UUID) -> pb.TableView:
    """The table as the seat of an account sees it, with one of its deals."""
    return pb.TableView(
        summary=summary_message(opened, deal),
        deal=_deal_message(deal, _seat(deal, account_id)),
        reveal=reveal_message(deal),
    )


def summary_message(opened: Opened, deal: Dealt) -> pb.TableSummary:
    """The table as it was while one of its deals was as it is here: the table may have gone on since."""
    return summary_of(opened, deal.table.terms.number - (not isinstance(deal, Ended)))


def summary_of(opened: Opened, deals: int | None = None) -> pb.TableSummary:
    """The table after so many of its deals; None: as it is now."""
    terms, all_rows = opened.table.terms, opened.table.rows
    rows = all_rows[:deals]
    points = totals(rows)
    message = pb.TableSummary(
        name=table_name(terms.table_id),
        seats=[_table_seat(each, points[seat]) for seat, each in enumerate(terms.occupants)],
        deal_count=terms.deals,
        private=terms.private,
        rows=[
            pb.DealRow(number=row.number, dealer=row.dealer, outcome=outcome_message(row.outcome))
            for row in rows
        ],
    )
    if isinstance(opened, Closed) and len(rows) == len(all_rows):
        message.closing = CLOSINGS[opened.reason]
    return message


def update_message(
    events: Sequence[Event], deal: Dealt, account_id: UUID, opened: Opened | None = None
) -> pb.TableUpdate:
    """What the facts of one command changed for the seat of an account; `deal` is as it was right after."""
    seat = _seat(deal, account_id)
    told = [happening(event, seat) for event in events]
    return pb.TableUpdate(
        happenings=[happening_message(each) for each in told if each is not None],
        deal=_deal_message(deal, seat),
        summary=None if opened is None else summary_message(opened, deal),
        reveal=reveal_message(deal),
    )


def happening_message(told: Happening) -> pb.Happening:
    """A fact as somebody is told it."""
    return pb.Happening(
        kind=KINDS[told.what],
        time=timestamp(told.at),
        seat=told.seat,
        tile=told.tile,
        replacement_tile=told.replacement,
        kong_tiles=told.kong,
        claim=None if told.answer is None else answer_message(told.answer),
        source=deal_pb2.TILE_SOURCE_UNSPECIFIED if told.source is None else SOURCES[told.source],
        by=deal_pb2.ACTED_BY_UNSPECIFIED if told.by is None else ACTED_BY[told.by],
    )


def stream_message(
    account_id: UUID, seen: Seen[State, Event], opened: Opened | None, resume_token: str, now: datetime
) -> service_pb.WatchTableResponse | None:
    """One message to the seat of an account; None when it learns nothing of a change.

    `opened` is the table, where it has changed or is told first.
    """
    message = service_pb.WatchTableResponse(resume_token=resume_token)
    match seen:
        case Snapshot(state=state):
            assert not isinstance(state, NotDealt), "the deal comes first"
            assert opened is not None, "a snapshot holds everything"
            message.snapshot.CopyFrom(table_message(opened, state, account_id))
        case Change(events=events, state=state):
            assert not isinstance(state, NotDealt), "the deal comes first"
            update = update_message(events, state, account_id, opened)
            if not update.happenings:
                return None
            message.update.CopyFrom(update)
        case Heartbeat():
            message.heartbeat.time.CopyFrom(timestamp(now))
        case End(reason=reason):
            message.end.reason, message.end.text = reason, ending_text(reason)
    return message


def _deal_message(deal: Dealt, seat: int) -> DealView:
    """The deal as the person of a seat sees it; one for whom the AI plays is asked nothing."""
    view = view_for(deal, seat)
    return view_message(replace(view, open=None) if seat in deal.table.away else view)


def _seat(deal: Dealt, account_id: UUID) -> int:
    seat = deal.table.seat_of(account_id)
    assert seat is not None, "whoever is answered has a seat"
    return seat


def _table_seat(occupant: Occupant, points: int) -> pb.TableSeat:
    if isinstance(occupant, Person):
        return pb.TableSeat(player=player_name(occupant.account_id), points=points)
    return pb.TableSeat(ai_level=AI_LEVELS[occupant.level], points=points)


def reveal_message(deal: Dealt) -> pb.WallReveal | None:
    """What the commitment covered, once the deal is over."""
    if not isinstance(deal, Ended):
        return None
    wall = deal.table.wall
    return pb.WallReveal(wall_version=WALL_VERSION, seed=wall.seed, nonce=wall.nonce)
