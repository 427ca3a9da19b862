"""What deals come to, to protobuf and back."""

from __future__ import annotations

from typing import Final

from libs.pb.sparrow.mcr.v1 import deal_pb2 as pb
from libs.rules.mcr.wall import TileId
from services.mcr.domain.deal.terms import (
    Aborted,
    Drawn,
    DrawReason,
    FanCount,
    Outcome,
    WinKind,
    WinScore,
    Won,
)
from services.mcr.wire.words import key_of

WIN_KINDS: Final = {
    WinKind.SELF_DRAWN: pb.WIN_KIND_SELF_DRAWN,
    WinKind.DISCARD: pb.WIN_KIND_DISCARD,
    WinKind.ROBBED_KONG: pb.WIN_KIND_ROBBED_KONG,
}
DRAW_REASONS: Final = {
    DrawReason.WALL: pb.DRAW_REASON_WALL,
    DrawReason.FLOWER: pb.DRAW_REASON_FLOWER,
}


def outcome_message(outcome: Outcome) -> pb.DealOutcome:
    """What a deal came to."""
    match outcome:
        case Won():
            return pb.DealOutcome(won=_won_message(outcome))
        case Drawn(reason=reason):
            return pb.DealOutcome(drawn=pb.DealDrawn(reason=DRAW_REASONS[reason]))
        case Aborted(fault=fault):
            return pb.DealOutcome(aborted=pb.DealAborted(fault=fault))


def outcome_of(message: pb.DealOutcome) -> Outcome:
    """What a stored deal came to."""
    match message.WhichOneof("outcome"):
        case "won":
            return _won_of(message.won)
        case "drawn":
            return Drawn(key_of(DRAW_REASONS, message.drawn.reason))
        case _:
            return Aborted(message.aborted.fault)


def score_message(score: WinScore) -> pb.HandScore:
    """What a hand is worth."""
    fans = [pb.FanCount(number=fan.number, times=fan.times, points=fan.points) for fan in score.fans]
    return pb.HandScore(fans=fans, points=score.points, flowers=score.flowers)


def score_of(message: pb.HandScore) -> WinScore:
    """What a stored hand is worth."""
    fans = tuple(FanCount(fan.number, fan.times, fan.points) for fan in message.fans)
    return WinScore(fans, message.points, message.flowers)


def _won_message(won: Won) -> pb.DealWon:
    return pb.DealWon(
        winner=won.winner,
        payer=won.payer,
        kind=WIN_KINDS[won.kind],
        tile=won.tile,
        score=score_message(won.score),
        payments=won.payments,
    )


def _won_of(message: pb.DealWon) -> Won:
    return Won(
        winner=message.winner,
        payer=message.payer if message.HasField("payer") else None,
        kind=key_of(WIN_KINDS, message.kind),
        tile=TileId(message.tile),
        score=score_of(message.score),
        payments=tuple(message.payments),
    )
