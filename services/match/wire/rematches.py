"""Rematches on the wire."""

from __future__ import annotations

from datetime import UTC
from typing import Final

from libs.pb.sparrow.match.v1 import match_pb2
from libs.pb.sparrow.match.v1 import rematch_pb2 as pb
from libs.pb.sparrow.match.v1 import rematch_service_pb2 as service_pb
from libs.rules.pairing import rematch as offers
from libs.rules.pairing.rematch import Answer, Outcome
from libs.runtime.languages.endings import ending_text
from libs.runtime.names import match_name, parse_match, parse_player, player_name
from services.match.domain.queueing import GameKind, Rematch
from services.match.wire.boards import timestamp
from services.match.wire.tickets import QUEUE_OF, QUEUE_TO_WIRE

_STATES: Final = {
    Outcome.OPEN: pb.REMATCH_STATE_OPEN,
    Outcome.BEGUN: pb.REMATCH_STATE_BEGUN,
    Outcome.DECLINED: pb.REMATCH_STATE_DECLINED,
    Outcome.EXPIRED: pb.REMATCH_STATE_EXPIRED,
    Outcome.ELSEWHERE: pb.REMATCH_STATE_ELSEWHERE,
}
_ANSWERS: Final = {
    Answer.NONE: pb.REMATCH_ANSWER_UNSPECIFIED,
    Answer.ACCEPTED: pb.REMATCH_ANSWER_ACCEPTED,
    Answer.DECLINED: pb.REMATCH_ANSWER_DECLINED,
    Answer.ELSEWHERE: pb.REMATCH_ANSWER_ELSEWHERE,
}
_OUTCOME_OF: Final = {wire: outcome for outcome, wire in _STATES.items()}
_ANSWER_OF: Final = {wire: said for said, wire in _ANSWERS.items()}


def offer_message(rematch: Rematch | None) -> match_pb2.RematchOffer | None:
    """The offer as it stands in a match that is over; nothing in one that has none."""
    return None if rematch is None else match_pb2.RematchOffer(expire_time=timestamp(rematch.expires_at))


def rematch_message(rematch: Rematch) -> pb.Rematch:
    """An offer as those see it who played the match."""
    return pb.Rematch(
        name=match_name(rematch.match_id),
        queue=QUEUE_TO_WIRE[rematch.kind.queue],
        state=_STATES[rematch.outcome],
        expire_time=timestamp(rematch.expires_at),
        seats=[
            pb.Rematch.Seat(player=player_name(account_id), answer=_ANSWERS[said])
            for account_id, said in zip(rematch.accounts, rematch.answers, strict=True)
        ],
        stake=rematch.kind.stake or 0,
        next_match="" if rematch.next_match_id is None else match_name(rematch.next_match_id),
    )


def stream_message(told: Rematch | str) -> service_pb.WatchRematchResponse:
    """A message of a stream: the offer, or what came of it."""
    if isinstance(told, str):
        end = service_pb.WatchRematchResponse.End(reason=told, text=ending_text(told, "REMATCH"))
        return service_pb.WatchRematchResponse(end=end)
    return service_pb.WatchRematchResponse(rematch=rematch_message(told))


def keep(rematch: Rematch) -> bytes:
    """An answer as it is kept for repeats."""
    return rematch_message(rematch).SerializeToString(deterministic=True)


def kept(reply: bytes) -> Rematch:
    """The answer that was kept; without what the wire does not tell."""
    message = pb.Rematch.FromString(reply)
    return offers.Rematch(
        parse_match("name", message.name),
        GameKind(QUEUE_OF[message.queue], stake=message.stake or None),
        tuple(parse_player("player", seat.player) for seat in message.seats),
        tuple(_ANSWER_OF[seat.answer] for seat in message.seats),
        message.expire_time.ToDatetime(UTC),
        _OUTCOME_OF[message.state],
        parse_match("next_match", message.next_match) if message.next_match else None,
    )
