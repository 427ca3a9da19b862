"""Clubs and their events to protobuf."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from libs.eventsourcing.envelope import NewEvent, Part
from libs.pb.sparrow.account.v1 import club_event_pb2 as event_pb
from libs.pb.sparrow.account.v1 import club_pb2 as pb
from libs.runtime.names import club_name, player_name
from services.account.clubs.store import Member, Waiting
from services.account.domain.clubs import Action, Club, JoinPolicy
from services.account.events import (
    ClubCreated,
    ClubDisbanded,
    ClubEvent,
    ClubInvitationEnded,
    ClubJoinRequested,
    ClubJoinRequestEnded,
    ClubMemberJoined,
    ClubMemberLeft,
    ClubPlayerInvited,
    ClubRole,
    ClubRoleChanged,
)

POLICY_TO_WIRE: Final = {
    JoinPolicy.OPEN: pb.JOIN_POLICY_OPEN,
    JoinPolicy.BY_REQUEST: pb.JOIN_POLICY_BY_REQUEST,
    JoinPolicy.BY_INVITATION: pb.JOIN_POLICY_BY_INVITATION,
}
POLICY_FROM_WIRE: Final = {wire: policy for policy, wire in POLICY_TO_WIRE.items()}
ROLE_TO_WIRE: Final = {
    ClubRole.OWNER: pb.CLUB_ROLE_OWNER,
    ClubRole.OFFICER: pb.CLUB_ROLE_OFFICER,
    ClubRole.MEMBER: pb.CLUB_ROLE_MEMBER,
}
ACTION_OF_ROLE: Final = {
    pb.CLUB_ROLE_OWNER: Action.MAKE_OWNER,
    pb.CLUB_ROLE_OFFICER: Action.MAKE_OFFICER,
    pb.CLUB_ROLE_MEMBER: Action.MAKE_MEMBER,
}
_STORED: Final[Mapping[type[ClubEvent], tuple[str, type[Message]]]] = {
    ClubCreated: ("sparrow.account.club_created.v1", event_pb.ClubCreated),
    ClubDisbanded: ("sparrow.account.club_disbanded.v1", event_pb.ClubDisbanded),
    ClubJoinRequested: ("sparrow.account.club_join_requested.v1", event_pb.ClubJoinRequested),
    ClubJoinRequestEnded: ("sparrow.account.club_join_request_ended.v1", event_pb.ClubJoinRequestEnded),
    ClubPlayerInvited: ("sparrow.account.club_player_invited.v1", event_pb.ClubPlayerInvited),
    ClubInvitationEnded: ("sparrow.account.club_invitation_ended.v1", event_pb.ClubInvitationEnded),
    ClubMemberJoined: ("sparrow.account.club_member_joined.v1", event_pb.ClubMemberJoined),
    ClubRoleChanged: ("sparrow.account.club_role_changed.v1", event_pb.ClubRoleChanged),
    ClubMemberLeft: ("sparrow.account.club_member_left.v1", event_pb.ClubMemberLeft),
}


def encode(event: ClubEvent, occurred_at: datetime) -> NewEvent:
    """Return a fact as it is stored."""
    type_, message_type = _STORED[type(event)]
    message: Any = message_type(club_id=str(event.club_id))
    if not isinstance(event, ClubDisbanded):
        message.account_id = str(event.account_id)
    if isinstance(event, ClubMemberJoined | ClubRoleChanged):
        message.role = ROLE_TO_WIRE[event.role]
    return NewEvent(Part.FACTS, type_, 1, occurred_at, message.SerializeToString(deterministic=True))


def club_message(club: Club) -> pb.Club:
    """Return what everybody may see of a club."""
    return pb.Club(
        name=club_name(club.club_id),
        display_name=club.name.text,
        description=club.description,
        join_policy=POLICY_TO_WIRE[club.policy],
        member_limit=club.member_limit,
        member_count=club.members,
        create_time=_timestamp(club.created_at),
    )


def member_message(member: Member) -> pb.ClubMember:
    """Return a member."""
    return pb.ClubMember(
        player=player_name(member.account_id),
        role=ROLE_TO_WIRE[member.role],
        join_time=_timestamp(member.joined_at),
    )


def request_message(waiting: Waiting) -> pb.JoinRequest:
    """Return a request."""
    return pb.JoinRequest(
        club=club_name(waiting.club_id),
        player=player_name(waiting.account_id),
        create_time=_timestamp(waiting.since),
    )


def invitation_message(waiting: Waiting) -> pb.ClubInvitation:
    """Return an invitation."""
    assert waiting.inviter is not None, "somebody invited"
    return pb.ClubInvitation(
        club=club_name(waiting.club_id),
        player=player_name(waiting.account_id),
        inviter=player_name(waiting.inviter),
        create_time=_timestamp(waiting.since),
    )


def _timestamp(instant: datetime) -> Timestamp:
    message = Timestamp()
    message.FromDatetime(instant)
    return message
