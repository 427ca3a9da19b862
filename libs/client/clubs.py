"""Clubs: found them, come in, let others in, leave."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

from google.protobuf.field_mask_pb2 import FieldMask

from libs.client.calls import LIST_DEADLINE_S
from libs.client.club_results import (
    POLICY_TO_WIRE,
    ROLE_TO_WIRE,
    Club,
    ClubInvitation,
    ClubMember,
    ClubRole,
    JoinPolicy,
    JoinRequest,
    Membership,
    club_of,
    invitation_of,
    member_of,
    membership_of,
    request_of,
)
from libs.client.link import Link
from libs.pb.sparrow.account.v1 import club_pb2
from libs.pb.sparrow.account.v1 import club_service_pb2 as wire

PAGE_SIZE = 100


class Clubs:
    """A player's way to clubs. Clubs are named "clubs/<uuid>", players "players/<uuid>"."""

    def __init__(self, link: Link) -> None:
        """Ask through the signed-in connection."""
        self._calls = link.calls
        self._stub = link.clubs

    # -- looking

    async def get(self, club: str) -> Club:
        """Return a club. Raises RefusedError NOT_FOUND."""
        request = wire.GetClubRequest(name=club)
        return club_of((await self._calls.unary(self._stub.GetClub, request, LIST_DEADLINE_S)).club)

    async def membership(self, player: str = "players/me") -> Membership | None:
        """Return the club that a player is in; none when in none."""
        request = wire.GetMembershipRequest(player=player)
        answer = await self._calls.unary(self._stub.GetMembership, request, LIST_DEADLINE_S)
        return membership_of(answer.membership) if answer.HasField("membership") else None

    async def list(self, prefix: str = "") -> AsyncIterator[Club]:
        """Yield clubs by name, those that begin with `prefix`, look-alikes and case aside."""
        token = ""
        while True:
            request = wire.ListClubsRequest(prefix=prefix, page_size=PAGE_SIZE, page_token=token)
            answer = await self._calls.unary(self._stub.ListClubs, request, LIST_DEADLINE_S)
            for found in answer.clubs:
                yield club_of(found)
            if not (token := answer.next_page_token):
                return

    async def members(self, club: str) -> AsyncIterator[ClubMember]:
        """Yield a club's members, who came first first."""
        token = ""
        while True:
            request = wire.ListMembersRequest(club=club, page_size=PAGE_SIZE, page_token=token)
            answer = await self._calls.unary(self._stub.ListMembers, request, LIST_DEADLINE_S)
            for found in answer.members:
                yield member_of(found)
            if not (token := answer.next_page_token):
                return

    # -- founding and changing

    async def create(
        self,
        display_name: str,
        *,
        policy: JoinPolicy = JoinPolicy.OPEN,
        description: str = "",
        member_limit: int = 0,
    ) -> Club:
        """Found a club and own it; a limit of 0 asks for the most that the site allows.

        Raises RefusedError NAME_TAKEN or IN_ANOTHER_CLUB.
        """
        club = club_pb2.Club(
            display_name=display_name,
            join_policy=POLICY_TO_WIRE[policy],
            description=description,
            member_limit=member_limit,
        )
        request = wire.CreateClubRequest(club=club, request_id=str(uuid4()))
        return club_of((await self._calls.unary(self._stub.CreateClub, request, LIST_DEADLINE_S)).club)

    async def edit(
        self,
        club: str,
        *,
        display_name: str | None = None,
        policy: JoinPolicy | None = None,
        description: str | None = None,
        member_limit: int | None = None,
    ) -> Club:
        """Change what is given, as owner or officer. Raises RefusedError ROLE_TOO_LOW or NAME_TAKEN."""
        given = {
            "display_name": display_name,
            "join_policy": policy,
            "description": description,
            "member_limit": member_limit,
        }
        changed = club_pb2.Club(
            name=club,
            display_name=display_name or "",
            join_policy=POLICY_TO_WIRE[policy] if policy is not None else club_pb2.JOIN_POLICY_UNSPECIFIED,
            description=description or "",
            member_limit=member_limit or 0,
        )
        request = wire.UpdateClubRequest(
            club=changed,
            update_mask=FieldMask(paths=[path for path, value in given.items() if value is not None]),
            request_id=str(uuid4()),
        )
        return club_of((await self._calls.unary(self._stub.UpdateClub, request, LIST_DEADLINE_S)).club)

    async def set_role(self, club: str, player: str, role: ClubRole) -> ClubMember:
        """Give a member another role, as the owner; OWNER hands the club over."""
        request = wire.SetMemberRoleRequest(
            club=club, player=player, role=ROLE_TO_WIRE[role], request_id=str(uuid4())
        )
        answer = await self._calls.unary(self._stub.SetMemberRole, request, LIST_DEADLINE_S)
        return member_of(answer.member)

    async def disband(self, club: str) -> None:
        """End a club that nobody else is in. Raises RefusedError CLUB_NOT_EMPTY."""
        request = wire.DisbandClubRequest(club=club, request_id=str(uuid4()))
        await self._calls.unary(self._stub.DisbandClub, request, LIST_DEADLINE_S)

    # -- coming in and going

    async def join(self, club: str) -> ClubMember:
        """Come into an open club. Raises RefusedError JOIN_POLICY, CLUB_FULL or IN_ANOTHER_CLUB."""
        request = wire.JoinClubRequest(club=club, request_id=str(uuid4()))
        return member_of((await self._calls.unary(self._stub.JoinClub, request, LIST_DEADLINE_S)).member)

    async def leave(self, club: str) -> None:
        """Go. Raises RefusedError OWNER_STAYS while others are in the caller's own club."""
        request = wire.LeaveClubRequest(club=club, request_id=str(uuid4()))
        await self._calls.unary(self._stub.LeaveClub, request, LIST_DEADLINE_S)

    async def ask(self, club: str) -> JoinRequest:
        """Ask to come into a club that is joined by request."""
        request = wire.RequestToJoinRequest(club=club, request_id=str(uuid4()))
        answer = await self._calls.unary(self._stub.RequestToJoin, request, LIST_DEADLINE_S)
        return request_of(answer.request)

    async def withdraw(self, club: str) -> None:
        """Take a request back."""
        request = wire.WithdrawJoinRequestRequest(club=club, request_id=str(uuid4()))
        await self._calls.unary(self._stub.WithdrawJoinRequest, request, LIST_DEADLINE_S)

    async def invitations(self, club: str = "") -> AsyncIterator[ClubInvitation]:
        """Yield this player's invitations, or those of the club that the player leads; the oldest first."""
        token = ""
        while True:
            request = wire.ListInvitationsRequest(club=club, page_size=PAGE_SIZE, page_token=token)
            answer = await self._calls.unary(self._stub.ListInvitations, request, LIST_DEADLINE_S)
            for found in answer.invitations:
                yield invitation_of(found)
            if not (token := answer.next_page_token):
                return

    async def accept_invitation(self, club: str) -> ClubMember:
        """Come in as invited. Raises RefusedError NO_INVITATION, CLUB_FULL or IN_ANOTHER_CLUB."""
        request = wire.AcceptInvitationRequest(club=club, request_id=str(uuid4()))
        answer = await self._calls.unary(self._stub.AcceptInvitation, request, LIST_DEADLINE_S)
        return member_of(answer.member)

    async def decline_invitation(self, club: str) -> None:
        """End an invitation of this player."""
        request = wire.DeclineInvitationRequest(club=club, request_id=str(uuid4()))
        await self._calls.unary(self._stub.DeclineInvitation, request, LIST_DEADLINE_S)

    # -- letting others in and out, as owner or officer

    async def requests(self, club: str) -> AsyncIterator[JoinRequest]:
        """Yield the requests that wait at a club, the oldest first."""
        token = ""
        while True:
            request = wire.ListJoinRequestsRequest(club=club, page_size=PAGE_SIZE, page_token=token)
            answer = await self._calls.unary(self._stub.ListJoinRequests, request, LIST_DEADLINE_S)
            for found in answer.requests:
                yield request_of(found)
            if not (token := answer.next_page_token):
                return

    async def accept(self, club: str, player: str) -> ClubMember:
        """Bring in who asked. Raises RefusedError NO_JOIN_REQUEST, CLUB_FULL or IN_ANOTHER_CLUB."""
        request = wire.AcceptJoinRequestRequest(club=club, player=player, request_id=str(uuid4()))
        answer = await self._calls.unary(self._stub.AcceptJoinRequest, request, LIST_DEADLINE_S)
        return member_of(answer.member)

    async def decline(self, club: str, player: str) -> None:
        """End a request."""
        request = wire.DeclineJoinRequestRequest(club=club, player=player, request_id=str(uuid4()))
        await self._calls.unary(self._stub.DeclineJoinRequest, request, LIST_DEADLINE_S)

    async def invite(self, club: str, player: str) -> ClubInvitation:
        """Let a player come in."""
        request = wire.InvitePlayerRequest(club=club, player=player, request_id=str(uuid4()))
        answer = await self._calls.unary(self._stub.InvitePlayer, request, LIST_DEADLINE_S)
        return invitation_of(answer.invitation)

    async def withdraw_invitation(self, club: str, player: str) -> None:
        """Take an invitation back."""
        request = wire.WithdrawInvitationRequest(club=club, player=player, request_id=str(uuid4()))
        await self._calls.unary(self._stub.WithdrawInvitation, request, LIST_DEADLINE_S)

    async def remove(self, club: str, player: str) -> None:
        """Take another member out. Raises RefusedError ROLE_TOO_LOW or NOT_A_MEMBER."""
        request = wire.RemoveMemberRequest(club=club, player=player, request_id=str(uuid4()))
        await self._calls.unary(self._stub.RemoveMember, request, LIST_DEADLINE_S)
