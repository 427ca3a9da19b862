"""Rematches of tables on the wire."""

from __future__ import annotations

from datetime import UTC
from typing import Final

from libs.pb.sparrow.mcr.v1 import lobby_pb2 as pb
from libs.pb.sparrow.mcr.v1 import lobby_service_pb2 as service_pb
from libs.rules.pairing import rematch as offers
from libs.rules.pairing.rematch import Answer, Outcome
from libs.runtime.languages.endings import ending_text
from libs.runtime.names import parse_player, parse_table, player_name, table_name
from services.mcr.domain.lobby import Rematch, TableKind
from services.mcr.wire.words import AI_LEVELS, key_of, timestamp

_STATES: Final = {outcome: pb.RematchState.Value(f"REMATCH_STATE_{outcome.name}") for outcome in Outcome}
_ANSWERS: Final = {
    said: pb.RematchAnswer.Value(f"REMATCH_ANSWER_{said.name}") if said is not Answer.NONE else 0
    for said in Answer
}


def rematch_message(rematch: Rematch) -> pb.Rematch:
    """An offer as those see it who played at the table."""
    message = pb.Rematch(
        name=table_name(rematch.match_id),
        state=_STATES[rematch.outcome],
        expire_time=timestamp(rematch.expires_at),
        deal_count=rematch.kind.deals,
        ai_level=AI_LEVELS[rematch.kind.level],
    )
    for account_id, said in zip(rematch.accounts, rematch.answers, strict=True):
        message.seats.add(player=player_name(account_id), answer=pb.RematchAnswer.ValueType(_ANSWERS[said]))
    if rematch.next_match_id is not None:
        message.next_table = table_name(rematch.next_match_id)
    return message


def offer_message(told: Rematch | str) -> service_pb.WatchRematchResponse:
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
        parse_table("name", message.name),
        TableKind(message.deal_count, key_of(AI_LEVELS, message.ai_level)),
        tuple(parse_player("player", seat.player) for seat in message.seats),
        tuple(key_of(_ANSWERS, seat.answer) for seat in message.seats),
        message.expire_time.ToDatetime(UTC),
        key_of(_STATES, message.state),
        parse_table("next_table", message.next_table) if message.next_table else None,
    )
