"""Clubs as the client tells of them, and how they come from protobuf."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from libs.pb.sparrow.account.v1 import club_pb2 as wire


class JoinPolicy(StrEnum):
    """How strangers come into a club; invitations are good for any."""

    OPEN = "open"
    BY_REQUEST = "by_request"
    BY_INVITATION = "by_invitation"


class ClubRole(StrEnum):
    """What a member may do."""

    OWNER = "owner"
    OFFICER = "officer"
    MEMBER = "member"


@dataclass(frozen=True, slots=True)
class Club:
    """A club. `name` is "clubs/<uuid>", the display name is what people call it."""

    name: str
    display_name: str
    description: str
    join_policy: JoinPolicy
    member_limit: int
    member_count: int
    create_time: datetime


@dataclass(frozen=True, slots=True)
class ClubMember:
    """A player in a club, whose points count for it since then."""

    player: str
    role: ClubRole
    join_time: datetime


@dataclass(frozen=True, slots=True)
class Membership:
    """The club that a player is in, and the player's place there."""

    club: Club
    member: ClubMember


@dataclass(frozen=True, slots=True)
class JoinRequest:
    """A player who wants to come in."""

    club: str
    player: str
    create_time: datetime


@dataclass(frozen=True, slots=True)
class ClubInvitation:
    """A player who may come in, and who let them."""

    club: str
    player: str
    inviter: str
    create_time: datetime


POLICY_TO_WIRE: Final = {
    JoinPolicy.OPEN: wire.JOIN_POLICY_OPEN,
    JoinPolicy.BY_REQUEST: wire.JOIN_POLICY_BY_REQUEST,
    JoinPolicy.BY_INVITATION: wire.JOIN_POLICY_BY_INVITATION,
}
ROLE_TO_WIRE: Final = {
    ClubRole.OWNER: wire.CLUB_ROLE_OWNER,
    ClubRole.OFFICER: wire.CLUB_ROLE_OFFICER,
    ClubRole.MEMBER: wire.CLUB_ROLE_MEMBER,
}
_POLICY_OF: Final = {value: policy for policy, value in POLICY_TO_WIRE.items()}
_ROLE_OF: Final = {value: role for role, value in ROLE_TO_WIRE.items()}


def club_of(message: wire.Club) -> Club:
    """Translate a club."""
    return Club(
        name=message.name,
        display_name=message.display_name,
        description=message.description,
        join_policy=_POLICY_OF[message.join_policy],
        member_limit=message.member_limit,
        member_count=message.member_count,
        create_time=message.create_time.ToDatetime(UTC),
    )


def member_of(message: wire.ClubMember) -> ClubMember:
    """Translate a member."""
    return ClubMember(message.player, _ROLE_OF[message.role], message.join_time.ToDatetime(UTC))


def membership_of(message: wire.ClubMembership) -> Membership:
    """Translate a player's club."""
    return Membership(club_of(message.club), member_of(message.member))


def request_of(message: wire.JoinRequest) -> JoinRequest:
    """Translate a request."""
    return JoinRequest(message.club, message.player, message.create_time.ToDatetime(UTC))


def invitation_of(message: wire.ClubInvitation) -> ClubInvitation:
    """Translate an invitation."""
    return ClubInvitation(message.club, message.player, message.inviter, message.create_time.ToDatetime(UTC))
