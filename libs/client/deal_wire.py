"""Deals of MCR, from protobuf to what this player sees."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC
from enum import StrEnum
from typing import Final, TypeVar

from libs.client.deal_views import (
    Aborted,
    ActedBy,
    Action,
    ActionKind,
    AiLevel,
    DealView,
    Drawn,
    DrawReason,
    FanCount,
    Happening,
    MeldKind,
    MeldView,
    Outcome,
    Phase,
    SeatView,
    Tiles,
    TileSource,
    What,
    WinKind,
    Won,
)
from libs.pb.sparrow.mcr.v1 import deal_pb2 as words
from libs.pb.sparrow.mcr.v1 import deal_view_pb2 as wire
from libs.pb.sparrow.mcr.v1 import table_pb2
from libs.rules.mcr.wall import TileId

E = TypeVar("E", bound=StrEnum)


def deal_of(told: wire.DealView) -> DealView:
    """A deal as the server tells it."""
    return DealView(
        number=told.number,
        commitment=told.commitment.hex(),
        seat=told.seat if told.HasField("seat") else None,
        dealer=told.dealer,
        prevalent_wind=told.prevalent_wind,
        phase=_word(Phase, wire.DealPhase.Name(told.phase)),
        turn=told.turn if told.HasField("turn") else None,
        drawn=TileId(told.drawn_tile) if told.HasField("drawn_tile") else None,
        source=_source(told.source),
        offered=TileId(told.offered_tile) if told.HasField("offered_tile") else None,
        decision=told.decision,
        wall_left=told.wall_tile_count,
        deadline=told.deadline_time.ToDatetime(UTC) if told.HasField("deadline_time") else None,
        actions=tuple(map(_action, told.open_decision.actions)),
        answer=_action(told.answer) if told.HasField("answer") else None,
        seats=tuple(map(_seat, told.seats)),
        outcome=outcome_of(told.outcome) if told.HasField("outcome") else None,
    )


def outcome_of(told: words.DealOutcome) -> Outcome:
    """What a deal came to."""
    match told.WhichOneof("outcome"):
        case "won":
            return _won(told.won)
        case "drawn":
            return Drawn(_word(DrawReason, words.DrawReason.Name(told.drawn.reason)))
        case _:
            return Aborted(told.aborted.fault)


def happening_of(told: table_pb2.Happening) -> Happening:
    """What happened, as the server tells it."""
    return Happening(
        what=_word(What, table_pb2.HappeningKind.Name(told.kind)),
        at=told.time.ToDatetime(UTC),
        seat=told.seat if told.HasField("seat") else None,
        tile=TileId(told.tile) if told.HasField("tile") else None,
        replacement=TileId(told.replacement_tile) if told.HasField("replacement_tile") else None,
        kong=_tiles(told.kong_tiles),
        claim=_claim(told.claim) if told.HasField("claim") else None,
        source=_source(told.source),
        by=_word(ActedBy, words.ActedBy.Name(told.by)) if told.by else None,
    )


def level_of(told: words.AiLevel.ValueType) -> AiLevel | None:
    """How strong the AI of a seat is; None where a person sits."""
    return _word(AiLevel, words.AiLevel.Name(told)) if told else None


def level_word(level: AiLevel) -> words.AiLevel.ValueType:
    """The same for the server."""
    return words.AiLevel.Value(f"AI_LEVEL_{level.upper()}")


def action_message(action: Action) -> wire.Action:
    """What a seat does, for the server."""
    kind = wire.ActionKind.Value(f"ACTION_KIND_{action.kind.upper()}")
    return wire.Action(kind=kind, tiles=action.tiles)


_PREFIXES: Final = {
    AiLevel: "AI_LEVEL_",
    Phase: "DEAL_PHASE_",
    MeldKind: "MELD_KIND_",
    ActionKind: "ACTION_KIND_",
    TileSource: "TILE_SOURCE_",
    ActedBy: "ACTED_BY_",
    What: "HAPPENING_KIND_",
    WinKind: "WIN_KIND_",
    DrawReason: "DRAW_REASON_",
}


def _word(kind: type[E], name: str) -> E:
    return kind(name.removeprefix(_PREFIXES[kind]).lower())


def _tiles(told: Iterable[int]) -> Tiles:
    return tuple(map(TileId, told))


def _source(told: words.TileSource.ValueType) -> TileSource | None:
    return _word(TileSource, words.TileSource.Name(told)) if told else None


def _action(told: wire.Action) -> Action:
    return Action(_word(ActionKind, wire.ActionKind.Name(told.kind)), _tiles(told.tiles))


def _claim(told: words.Claim) -> Action:
    kind = ActionKind(words.ClaimKind.Name(told.kind).removeprefix("CLAIM_KIND_").lower())
    return Action(kind, _tiles(told.tiles))


def _seat(told: wire.DealSeat) -> SeatView:
    return SeatView(
        player=told.player,
        ai_level=level_of(told.ai_level),
        is_away=told.away,
        wind=told.wind,
        hand=_tiles(told.hand),
        concealed=told.concealed_tile_count,
        melds=tuple(map(_meld, told.melds)),
        flowers=_tiles(told.flowers),
        discards=_tiles(told.discards),
    )


def _meld(told: wire.Meld) -> MeldView:
    return MeldView(
        kind=_word(MeldKind, wire.MeldKind.Name(told.kind)),
        tiles=_tiles(told.tiles),
        claimed=TileId(told.claimed_tile) if told.HasField("claimed_tile") else None,
        from_seat=told.from_seat if told.HasField("from_seat") else None,
    )


def _won(told: words.DealWon) -> Won:
    return Won(
        winner=told.winner,
        payer=told.payer if told.HasField("payer") else None,
        kind=_word(WinKind, words.WinKind.Name(told.kind)),
        tile=TileId(told.tile),
        fans=tuple(FanCount(fan.number, fan.times, fan.points) for fan in told.score.fans),
        points=told.score.points,
        flowers=told.score.flowers,
        payments=tuple(told.payments),
    )
