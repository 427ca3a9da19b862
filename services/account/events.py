"""What happened to accounts and clubs. No event holds a name, a text, an address or a device key."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


class ClubRole(StrEnum):
    """What a member of a club may do."""

    OWNER = "owner"
    OFFICER = "officer"
    MEMBER = "member"


@dataclass(frozen=True, slots=True)
class ProfileCreated:
    """A device was seen for the first time."""

    account_id: UUID


@dataclass(frozen=True, slots=True)
class ClubCreated:
    """A club was founded; its founder's ClubMemberJoined comes with it."""

    club_id: UUID
    account_id: UUID


@dataclass(frozen=True, slots=True)
class ClubDisbanded:
    """A club is over: whoever was in has left before, and what was asked for is void."""

    club_id: UUID


@dataclass(frozen=True, slots=True)
class ClubJoinRequested:
    """A player asked to come in."""

    club_id: UUID
    account_id: UUID


@dataclass(frozen=True, slots=True)
class ClubJoinRequestEnded:
    """A request was withdrawn or declined."""

    club_id: UUID
    account_id: UUID


@dataclass(frozen=True, slots=True)
class ClubPlayerInvited:
    """A player was invited."""

    club_id: UUID
    account_id: UUID


@dataclass(frozen=True, slots=True)
class ClubInvitationEnded:
    """An invitation was declined or withdrawn."""

    club_id: UUID
    account_id: UUID


@dataclass(frozen=True, slots=True)
class ClubMemberJoined:
    """A player is in."""

    club_id: UUID
    account_id: UUID
    role: ClubRole


@dataclass(frozen=True, slots=True)
class ClubRoleChanged:
    """A member's role is another one."""

    club_id: UUID
    account_id: UUID
    role: ClubRole


@dataclass(frozen=True, slots=True)
class ClubMemberLeft:
    """A player is out."""

    club_id: UUID
    account_id: UUID


TieEvent = (
    ClubJoinRequested
    | ClubJoinRequestEnded
    | ClubPlayerInvited
    | ClubInvitationEnded
    | ClubMemberJoined
    | ClubRoleChanged
    | ClubMemberLeft
)
"""What happens between a player and a club; one stream for each pair."""
ClubEvent = ClubCreated | ClubDisbanded | TieEvent
