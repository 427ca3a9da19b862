"""What a seat sees of a deal, to protobuf; what it does, from protobuf."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from libs.pb.sparrow.mcr.v1 import deal_pb2 as pb_words
from libs.pb.sparrow.mcr.v1 import deal_view_pb2 as pb
from libs.rules.mcr.claims import Tiles
from libs.rules.mcr.tiles import EAST
from libs.runtime.errors import invalid_field
from libs.runtime.names import player_name
from services.mcr.domain.deal.actions import (
    Action,
    AddedKong,
    Chow,
    ConcealedKong,
    Discard,
    Kong,
    Pass,
    Pung,
    Win,
    tiles_of,
)
from services.mcr.domain.deal.terms import Ai, MeldKind, Person
from services.mcr.domain.deal.view import DealView, MeldView, OpenDecision, Phase, SeatView
from services.mcr.wire.outcomes import outcome_message
from services.mcr.wire.words import AI_LEVELS, SOURCES, limits_message, timestamp
from services.mcr.wire.words import tiles_of as tiles_from

PHASES: Final = {
    Phase.DEALING: pb.DEAL_PHASE_DEALING,
    Phase.TURN: pb.DEAL_PHASE_TURN,
    Phase.DISCARD: pb.DEAL_PHASE_DISCARD,
    Phase.CLAIMS: pb.DEAL_PHASE_CLAIMS,
    Phase.ROBBING: pb.DEAL_PHASE_ROBBING,
    Phase.OVER: pb.DEAL_PHASE_OVER,
}
MELD_KINDS: Final = {
    MeldKind.CHOW: pb.MELD_KIND_CHOW,
    MeldKind.PUNG: pb.MELD_KIND_PUNG,
    MeldKind.BIG_KONG: pb.MELD_KIND_BIG_KONG,
    MeldKind.ADDED_KONG: pb.MELD_KIND_ADDED_KONG,
    MeldKind.CONCEALED_KONG: pb.MELD_KIND_CONCEALED_KONG,
}
ACTION_KINDS: Final = {
    Discard: pb.ACTION_KIND_DISCARD,
    Win: pb.ACTION_KIND_WIN,
    ConcealedKong: pb.ACTION_KIND_CONCEALED_KONG,
    AddedKong: pb.ACTION_KIND_ADDED_KONG,
    Pung: pb.ACTION_KIND_PUNG,
    Kong: pb.ACTION_KIND_KONG,
    Chow: pb.ACTION_KIND_CHOW,
    Pass: pb.ACTION_KIND_PASS,
}
_TILES_MAX: Final = 4
_OF_ONE: Final = frozenset({pb.ACTION_KIND_DISCARD, pb.ACTION_KIND_ADDED_KONG})
_MADE: Final[dict[int, Callable[[Tiles], Action]]] = {
    pb.ACTION_KIND_DISCARD: lambda tiles: Discard(tiles[0]),
    pb.ACTION_KIND_WIN: lambda _: Win(),
    pb.ACTION_KIND_CONCEALED_KONG: ConcealedKong,
    pb.ACTION_KIND_ADDED_KONG: lambda tiles: AddedKong(tiles[0]),
    pb.ACTION_KIND_PUNG: Pung,
    pb.ACTION_KIND_KONG: Kong,
    pb.ACTION_KIND_CHOW: Chow,
    pb.ACTION_KIND_PASS: lambda _: Pass(),
}


def view_message(view: DealView) -> pb.DealView:
    """A deal as the viewer sees it."""
    return pb.DealView(
        number=view.terms.number,
        commitment=view.commitment,
        seat=view.seat,
        dealer=view.dealer,
        prevalent_wind=view.terms.prevalent_wind - EAST,
        phase=PHASES[view.phase],
        turn=view.turn,
        drawn_tile=view.drawn,
        source=pb_words.TILE_SOURCE_UNSPECIFIED if view.source is None else SOURCES[view.source],
        offered_tile=view.offered,
        decision=view.decision,
        wall_tile_count=view.wall_left,
        deadline_time=None if view.deadline is None else timestamp(view.deadline),
        open_decision=None if view.open is None else _open_message(view.open),
        answer=None if view.answer is None else action_message(view.answer),
        seats=map(_seat_message, view.seats),
        outcome=None if view.outcome is None else outcome_message(view.outcome),
        limits=limits_message(view.terms.limits),
    )


def action_message(action: Action) -> pb.Action:
    """What a seat does."""
    return pb.Action(kind=ACTION_KINDS[type(action)], tiles=tiles_of(action))


def action_from(field: str, message: pb.Action) -> Action:
    """What a caller wants to do. Raises FIELD_INVALID for no kind or no such number of tiles.

    Whether the tiles exist, and how many they must be, is judged with the rest.
    """
    make = _MADE.get(message.kind)
    if make is None:
        raise invalid_field(f"{field}.kind", "what to do")
    tiles = tiles_from(message.tiles)
    if len(tiles) > _TILES_MAX or (message.kind in _OF_ONE and len(tiles) != 1):
        raise invalid_field(f"{field}.tiles", "the own tiles of the action")
    return make(tiles)


def _open_message(decision: OpenDecision) -> pb.OpenDecision:
    return pb.OpenDecision(
        actions=map(action_message, decision.actions), deadline_time=timestamp(decision.deadline)
    )


def _seat_message(seat: SeatView) -> pb.DealSeat:
    message = pb.DealSeat(
        away=seat.is_away,
        wind=seat.wind - EAST,
        hand=() if seat.hand is None else seat.hand,
        concealed_tile_count=seat.concealed_tiles,
        melds=map(_meld_message, seat.melds),
        flowers=seat.flowers,
        discards=seat.discards,
    )
    match seat.occupant:
        case Person(account_id=account_id):
            message.player = player_name(account_id)
        case Ai(level=level):
            message.ai_level = AI_LEVELS[level]
    return message


def _meld_message(meld: MeldView) -> pb.Meld:
    return pb.Meld(
        kind=MELD_KINDS[meld.kind],
        tiles=meld.tiles,
        claimed_tile=meld.claimed,
        from_seat=meld.from_seat,
    )
