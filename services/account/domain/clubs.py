"""Clubs: who may do what, and what it brings about. One decision for every way in, out and up.

State is what rows say under the lock of the club's own row: the club, the caller's role, and the tie of the
player concerned. Refusals come in this order: the club, the player, the caller's role, the tie, another club,
the way in, the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Final
from uuid import UUID

from services.account.domain.display_names import DisplayName
from services.account.events import (
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
    TieEvent,
)

CLUB_WAITING_MAX: Final = 100
"""Requests, and invitations, that wait at one club."""
PLAYER_REQUESTS_MAX: Final = 10
"""Clubs that one player asks at the same time."""


class JoinPolicy(StrEnum):
    """How strangers come in; invitations are good for any club."""

    OPEN = "open"
    BY_REQUEST = "by_request"
    BY_INVITATION = "by_invitation"


@dataclass(frozen=True, slots=True)
class Club:
    """What everybody may see of a club."""

    club_id: UUID
    name: DisplayName
    description: str
    policy: JoinPolicy
    member_limit: int
    """Who is in stays in, also above a limit that was lowered."""
    members: int
    created_at: datetime


class Bond(StrEnum):
    """What a player is to a club."""

    STRANGER = "stranger"
    REQUESTED = "requested"
    INVITED = "invited"
    MEMBER = "member"


@dataclass(frozen=True, slots=True)
class Tie:
    """A player's tie with a club; a role goes with a member."""

    bond: Bond = Bond.STRANGER
    role: ClubRole | None = None


class Action(StrEnum):
    """What somebody wants of a club. The player concerned is the caller, or whom the caller names."""

    JOIN = "join"
    REQUEST = "request"
    WITHDRAW_REQUEST = "withdraw_request"
    ACCEPT_REQUEST = "accept_request"
    DECLINE_REQUEST = "decline_request"
    INVITE = "invite"
    WITHDRAW_INVITATION = "withdraw_invitation"
    ACCEPT_INVITATION = "accept_invitation"
    DECLINE_INVITATION = "decline_invitation"
    LEAVE = "leave"
    REMOVE = "remove"
    MAKE_OWNER = "make_owner"
    MAKE_OFFICER = "make_officer"
    MAKE_MEMBER = "make_member"
    DISBAND = "disband"


class ClubRefusal(StrEnum):
    """Why not."""

    CLUB_UNKNOWN = "CLUB_UNKNOWN"
    PLAYER_UNKNOWN = "PLAYER_UNKNOWN"
    NAME_TAKEN = "NAME_TAKEN"
    ROLE_TOO_LOW = "ROLE_TOO_LOW"
    NOT_A_MEMBER = "NOT_A_MEMBER"
    ALREADY_A_MEMBER = "ALREADY_A_MEMBER"
    ALREADY_REQUESTED = "ALREADY_REQUESTED"
    ALREADY_INVITED = "ALREADY_INVITED"
    NO_JOIN_REQUEST = "NO_JOIN_REQUEST"
    NO_INVITATION = "NO_INVITATION"
    IN_ANOTHER_CLUB = "IN_ANOTHER_CLUB"
    JOIN_POLICY = "JOIN_POLICY"
    CLUB_FULL = "CLUB_FULL"
    OWNER_STAYS = "OWNER_STAYS"
    CLUB_NOT_EMPTY = "CLUB_NOT_EMPTY"
    TOO_MANY_WAITING = "TOO_MANY_WAITING"


@dataclass(frozen=True, slots=True)
class Seen:
    """What a decision is made on."""

    club_id: UUID
    policy: JoinPolicy
    member_limit: int
    members: int
    actor: UUID | None
    """Who wants it; None: an operator, who may disband any club."""
    actor_role: ClubRole | None
    subject: UUID
    tie: Tie
    is_elsewhere: bool = False
    """Whether the subject is a member of another club."""
    requests: int = 0
    invitations: int = 0
    """How many wait at this club."""
    own_requests: int = 0
    """How many of the subject wait at any club."""
    everybody: Sequence[UUID] = ()
    """All members; for DISBAND alone."""


Decided = tuple[ClubEvent, ...]

_STAFF: Final = (ClubRole.OWNER, ClubRole.OFFICER)
_BY_STAFF: Final = frozenset(
    {
        Action.ACCEPT_REQUEST,
        Action.DECLINE_REQUEST,
        Action.INVITE,
        Action.WITHDRAW_INVITATION,
        Action.REMOVE,
    }
)


def may_edit(role: ClubRole | None) -> bool:
    """Whether a member of this role changes the club's texts and settings, and lets players in."""
    return role in _STAFF


def decide(action: Action, seen: Seen) -> Decided | ClubRefusal:
    """Return the facts that an action brings about, none where all is so already; or the refusal."""
    if action in _BY_STAFF and not may_edit(seen.actor_role):
        return ClubRefusal.ROLE_TOO_LOW
    return _DECISIONS[action](seen)


def evolve(_tie: Tie, event: TieEvent) -> Tie:
    """Return a tie after a past fact of its stream."""
    match event:
        case ClubJoinRequested():
            return Tie(Bond.REQUESTED)
        case ClubPlayerInvited():
            return Tie(Bond.INVITED)
        case ClubMemberJoined(role=role) | ClubRoleChanged(role=role):
            return Tie(Bond.MEMBER, role)
        case ClubJoinRequestEnded() | ClubInvitationEnded() | ClubMemberLeft():
            return Tie()


def tie_after(events: Iterable[ClubEvent], subject: UUID, tie: Tie) -> Tie:
    """Return a player's tie after what was decided."""
    for event in events:
        if isinstance(event, TieEvent) and event.account_id == subject:
            tie = evolve(tie, event)
    return tie


def _join(seen: Seen) -> Decided | ClubRefusal:
    if seen.tie.bond is Bond.MEMBER:
        return ClubRefusal.ALREADY_A_MEMBER
    if seen.is_elsewhere:
        return ClubRefusal.IN_ANOTHER_CLUB
    if seen.policy is not JoinPolicy.OPEN:
        return ClubRefusal.JOIN_POLICY
    return _enter(seen)


def _let_in(bond: Bond, missing: ClubRefusal, seen: Seen) -> Decided | ClubRefusal:
    if seen.tie.bond is not bond:
        return missing
    if seen.is_elsewhere:
        return ClubRefusal.IN_ANOTHER_CLUB
    return _enter(seen)


def _enter(seen: Seen) -> Decided | ClubRefusal:
    if seen.members >= seen.member_limit:
        return ClubRefusal.CLUB_FULL
    return (ClubMemberJoined(seen.club_id, seen.subject, ClubRole.MEMBER),)


def _request(seen: Seen) -> Decided | ClubRefusal:
    if (refusal := _tied(seen.tie)) is not None:
        return refusal
    if seen.is_elsewhere:
        return ClubRefusal.IN_ANOTHER_CLUB
    if seen.policy is not JoinPolicy.BY_REQUEST:
        return ClubRefusal.JOIN_POLICY
    if seen.requests >= CLUB_WAITING_MAX or seen.own_requests >= PLAYER_REQUESTS_MAX:
        return ClubRefusal.TOO_MANY_WAITING
    return (ClubJoinRequested(seen.club_id, seen.subject),)


def _invite(seen: Seen) -> Decided | ClubRefusal:
    if (refusal := _tied(seen.tie)) is not None:
        return refusal
    if seen.invitations >= CLUB_WAITING_MAX:
        return ClubRefusal.TOO_MANY_WAITING
    return (ClubPlayerInvited(seen.club_id, seen.subject),)


def _tied(tie: Tie) -> ClubRefusal | None:
    """Return what stands in the way of a new request or invitation."""
    match tie.bond:
        case Bond.STRANGER:
            return None
        case Bond.REQUESTED:
            return ClubRefusal.ALREADY_REQUESTED
        case Bond.INVITED:
            return ClubRefusal.ALREADY_INVITED
        case Bond.MEMBER:
            return ClubRefusal.ALREADY_A_MEMBER


def _end_request(seen: Seen) -> Decided | ClubRefusal:
    if seen.tie.bond is not Bond.REQUESTED:
        return ClubRefusal.NO_JOIN_REQUEST
    return (ClubJoinRequestEnded(seen.club_id, seen.subject),)


def _end_invitation(seen: Seen) -> Decided | ClubRefusal:
    if seen.tie.bond is not Bond.INVITED:
        return ClubRefusal.NO_INVITATION
    return (ClubInvitationEnded(seen.club_id, seen.subject),)


def _leave(seen: Seen) -> Decided | ClubRefusal:
    left = ClubMemberLeft(seen.club_id, seen.subject)
    if seen.tie.bond is not Bond.MEMBER:
        return ClubRefusal.NOT_A_MEMBER
    if seen.tie.role is not ClubRole.OWNER:
        return (left,)
    return (left, ClubDisbanded(seen.club_id)) if seen.members == 1 else ClubRefusal.OWNER_STAYS


def _remove(seen: Seen) -> Decided | ClubRefusal:
    assert seen.subject != seen.actor, "members leave by leaving"
    if seen.tie.bond is not Bond.MEMBER:
        return ClubRefusal.NOT_A_MEMBER
    if seen.actor_role is not ClubRole.OWNER and seen.tie.role is not ClubRole.MEMBER:
        return ClubRefusal.ROLE_TOO_LOW
    return (ClubMemberLeft(seen.club_id, seen.subject),)


def _change_role(role: ClubRole, seen: Seen) -> Decided | ClubRefusal:
    assert seen.subject != seen.actor, "an owner hands the club over by naming another one"
    if seen.actor is None or seen.actor_role is not ClubRole.OWNER:
        return ClubRefusal.ROLE_TOO_LOW
    if seen.tie.bond is not Bond.MEMBER:
        return ClubRefusal.NOT_A_MEMBER
    if seen.tie.role is role:
        return ()
    changed = ClubRoleChanged(seen.club_id, seen.subject, role)
    if role is ClubRole.OWNER:
        return (ClubRoleChanged(seen.club_id, seen.actor, ClubRole.OFFICER), changed)
    return (changed,)


def _disband(seen: Seen) -> Decided | ClubRefusal:
    if seen.actor is not None:
        if seen.actor_role is not ClubRole.OWNER:
            return ClubRefusal.ROLE_TOO_LOW
        if seen.members > 1:
            return ClubRefusal.CLUB_NOT_EMPTY
    return (
        *(ClubMemberLeft(seen.club_id, account_id) for account_id in seen.everybody),
        ClubDisbanded(seen.club_id),
    )


_DECISIONS: Final[Mapping[Action, Callable[[Seen], Decided | ClubRefusal]]] = {
    Action.JOIN: _join,
    Action.REQUEST: _request,
    Action.WITHDRAW_REQUEST: _end_request,
    Action.ACCEPT_REQUEST: partial(_let_in, Bond.REQUESTED, ClubRefusal.NO_JOIN_REQUEST),
    Action.DECLINE_REQUEST: _end_request,
    Action.INVITE: _invite,
    Action.WITHDRAW_INVITATION: _end_invitation,
    Action.ACCEPT_INVITATION: partial(_let_in, Bond.INVITED, ClubRefusal.NO_INVITATION),
    Action.DECLINE_INVITATION: _end_invitation,
    Action.LEAVE: _leave,
    Action.REMOVE: _remove,
    Action.MAKE_OWNER: partial(_change_role, ClubRole.OWNER),
    Action.MAKE_OFFICER: partial(_change_role, ClubRole.OFFICER),
    Action.MAKE_MEMBER: partial(_change_role, ClubRole.MEMBER),
    Action.DISBAND: _disband,
}
