"""Fields of requests about clubs that descriptors alone cannot judge. Each raises FIELD_INVALID."""

from __future__ import annotations

from libs.pb.sparrow.account.v1 import club_pb2
from libs.runtime.errors import Refused, invalid_field
from libs.runtime.names import parse_player
from libs.runtime.request import current_player
from services.account.clubs.wire import POLICY_FROM_WIRE
from services.account.domain.club_texts import DESCRIPTION_MAX, LINES_MAX, TextFault, parse_description
from services.account.domain.clubs import JoinPolicy
from services.account.domain.display_names import DisplayName, NameFault, parse_display_name
from services.account.wire import wrong_name


def club_name(raw: str) -> DisplayName:
    """Return a club's name."""
    name = parse_display_name(raw)
    if isinstance(name, NameFault):
        raise wrong_name("club.display_name", name)
    return name


def description(raw: str) -> str:
    """Return a club's description."""
    text = parse_description(raw)
    if isinstance(text, TextFault):
        raise _wrong_description(text)
    return text


def join_policy(wire: club_pb2.JoinPolicy.ValueType) -> JoinPolicy:
    """Return how a club is joined."""
    if wire not in POLICY_FROM_WIRE:
        raise invalid_field("club.join_policy", "required", "REQUIRED")
    return POLICY_FROM_WIRE[wire]


def check_other(player: str) -> None:
    """Refuse a player who names themselves."""
    if parse_player("player", player) == current_player().account_id:
        raise invalid_field("player", "another member than the caller")


def _wrong_description(fault: TextFault) -> Refused:
    field = "club.description"
    match fault:
        case TextFault.LENGTH:
            return invalid_field(field, fault.value, "CHARACTERS", min=0, max=DESCRIPTION_MAX)
        case TextFault.LINES:
            return invalid_field(field, fault.value, "LINES", max=LINES_MAX)
        case _:
            return invalid_field(field, fault.value, fault.name)
