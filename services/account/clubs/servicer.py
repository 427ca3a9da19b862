"""The gRPC edge of clubs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, TypeVar
from uuid import UUID

import grpc
from google.protobuf.message import Message

from libs.eventstore.port import RequestReused
from libs.pb.sparrow.account.v1 import club_pb2
from libs.pb.sparrow.account.v1 import club_service_pb2 as pb
from libs.pb.sparrow.account.v1 import club_service_pb2_grpc as pb_grpc
from libs.runtime.caller import CALLER, Player
from libs.runtime.errors import Refused, invalid_field
from libs.runtime.names import parse_club, parse_player
from libs.runtime.paging import PAGE_VALID_S, listing, page_size
from libs.runtime.request import current_player, write_request
from libs.runtime.service import Runtime
from services.account.clubs.fields import check_other, club_name, description, join_policy
from services.account.clubs.refusals import refused
from services.account.clubs.registry import After, Answer, Clubs, Edit
from services.account.clubs.store import Member, Waiting
from services.account.clubs.wire import (
    ACTION_OF_ROLE,
    club_message,
    invitation_message,
    member_message,
    request_message,
)
from services.account.domain.clubs import Action, Bond, ClubRefusal
from services.account.domain.display_names import NameFault, look_alike_key

Context = grpc.aio.ServicerContext[Any, Any]
T = TypeVar("T")
Place = tuple[datetime, UUID]

PAGE_DEFAULT, PAGE_MAX = 50, 200
FIRST: Final[Place] = (datetime(1970, 1, 1, tzinfo=UTC), UUID(int=0))
"""Before whatever is ordered by instant and id."""
PREFIX_MAX: Final = 64
EDITABLE: Final = frozenset({"display_name", "description", "join_policy", "member_limit"})


class ClubServicer(pb_grpc.ClubServiceServicer):
    """Keeps the clubs."""

    def __init__(self, runtime: Runtime, clubs: Clubs) -> None:
        self._clock = runtime.clock
        self._tokens = runtime.opaque
        self._members_max = runtime.settings.club_members_max
        self._clubs = clubs

    async def CreateClub(self, request: pb.CreateClubRequest, context: Context) -> pb.CreateClubResponse:
        """Found a club."""
        key, founder = write_request(context, request), current_player().account_id
        club = request.club
        terms = (
            club_name(club.display_name),
            description(club.description),
            join_policy(club.join_policy),
            self._limit(club.member_limit),
        )
        answer = await self._clubs.found(
            key,
            founder,
            terms,
            lambda club: _bytes(pb.CreateClubResponse(club=club_message(club))),
            self._clock.now(),
        )
        return pb.CreateClubResponse.FromString(_accepted(answer, None, founder))

    async def UpdateClub(self, request: pb.UpdateClubRequest, context: Context) -> pb.UpdateClubResponse:
        """Change texts and settings."""
        key, actor = write_request(context, request), current_player().account_id
        club, club_id = request.club, parse_club("club.name", request.club.name)
        paths = set(request.update_mask.paths)
        if not paths or not paths <= EDITABLE:
            raise invalid_field("update_mask", f"some of {', '.join(sorted(EDITABLE))}")
        edit = Edit(
            name=club_name(club.display_name) if "display_name" in paths else None,
            description=description(club.description) if "description" in paths else None,
            policy=join_policy(club.join_policy) if "join_policy" in paths else None,
            member_limit=self._limit(club.member_limit) if "member_limit" in paths else None,
        )
        answer = await self._clubs.edit(
            key,
            club_id,
            actor,
            edit,
            lambda club: _bytes(pb.UpdateClubResponse(club=club_message(club))),
            self._clock.now(),
        )
        return pb.UpdateClubResponse.FromString(_accepted(answer, club_id, actor))

    async def GetClub(self, request: pb.GetClubRequest, context: Context) -> pb.GetClubResponse:
        """Return one club."""
        club_id = parse_club("name", request.name)
        club = await self._clubs.find(club_id)
        if club is None:
            raise refused(ClubRefusal.CLUB_UNKNOWN, club_id, club_id)
        return pb.GetClubResponse(club=club_message(club))

    async def GetMembership(
        self, request: pb.GetMembershipRequest, context: Context
    ) -> pb.GetMembershipResponse:
        """Tell which club a player is in."""
        found = await self._clubs.membership(parse_player("player", request.player, allow_me=True))
        if found is None:
            return pb.GetMembershipResponse()
        club, member = found
        return pb.GetMembershipResponse(
            membership=club_pb2.ClubMembership(club=club_message(club), member=member_message(member))
        )

    async def ListClubs(self, request: pb.ListClubsRequest, context: Context) -> pb.ListClubsResponse:
        """Page through clubs by name."""
        size = page_size(request.page_size, PAGE_DEFAULT, PAGE_MAX)
        if len(request.prefix) > PREFIX_MAX:
            raise invalid_field("prefix", f"at most {PREFIX_MAX} characters")
        prefix = look_alike_key(request.prefix)
        if request.prefix and not prefix:
            raise invalid_field("prefix", NameFault.NO_LETTER.value)
        after = self._open("page.clubs", request)["key"] if request.page_token else ""
        clubs = await self._clubs.page(prefix, after, size + 1)
        response = pb.ListClubsResponse(clubs=[club_message(club) for club in clubs[:size]])
        if len(clubs) > size:
            response.next_page_token = self._seal("page.clubs", request, {"key": clubs[size - 1].name.key})
        return response

    async def ListMembers(self, request: pb.ListMembersRequest, context: Context) -> pb.ListMembersResponse:
        """Page through a club's members."""
        size, after = self._page("page.members", request)
        club_id = parse_club("club", request.club)
        members = _found(await self._clubs.members(club_id, after, size + 1), club_id)
        shown, token = self._shown(
            "page.members", request, members, size, lambda row: (row.joined_at, row.account_id)
        )
        return pb.ListMembersResponse(members=[member_message(row) for row in shown], next_page_token=token)

    async def ListJoinRequests(
        self, request: pb.ListJoinRequestsRequest, context: Context
    ) -> pb.ListJoinRequestsResponse:
        """Page through the requests that wait at a club."""
        size, after = self._page("page.join_requests", request)
        club_id = parse_club("club", request.club)
        actor = current_player().account_id
        waiting = _found(
            await self._clubs.waiting_at(club_id, actor, Bond.REQUESTED, after, size + 1), club_id
        )
        shown, token = self._shown(
            "page.join_requests", request, waiting, size, lambda row: (row.since, row.account_id)
        )
        return pb.ListJoinRequestsResponse(
            requests=[request_message(row) for row in shown], next_page_token=token
        )

    async def ListInvitations(
        self, request: pb.ListInvitationsRequest, context: Context
    ) -> pb.ListInvitationsResponse:
        """Page through the caller's invitations, or those of a club."""
        size, after = self._page("page.invitations", request)
        actor = current_player().account_id
        if request.club:
            club_id = parse_club("club", request.club)
            waiting = _found(
                await self._clubs.waiting_at(club_id, actor, Bond.INVITED, after, size + 1), club_id
            )
        else:
            waiting = await self._clubs.invitations_of(actor, after, size + 1)
        shown, token = self._shown(
            "page.invitations",
            request,
            waiting,
            size,
            lambda row: (row.since, row.account_id if request.club else row.club_id),
        )
        return pb.ListInvitationsResponse(
            invitations=[invitation_message(row) for row in shown], next_page_token=token
        )

    async def JoinClub(self, request: pb.JoinClubRequest, context: Context) -> pb.JoinClubResponse:
        """Bring the caller into an open club."""
        return pb.JoinClubResponse.FromString(await self._own(context, request, Action.JOIN, _joined))

    async def LeaveClub(self, request: pb.LeaveClubRequest, context: Context) -> pb.LeaveClubResponse:
        """Take the caller out."""
        return pb.LeaveClubResponse.FromString(await self._own(context, request, Action.LEAVE, _done))

    async def RequestToJoin(
        self, request: pb.RequestToJoinRequest, context: Context
    ) -> pb.RequestToJoinResponse:
        """Ask to come in."""
        return pb.RequestToJoinResponse.FromString(
            await self._own(context, request, Action.REQUEST, _requested)
        )

    async def WithdrawJoinRequest(
        self, request: pb.WithdrawJoinRequestRequest, context: Context
    ) -> pb.WithdrawJoinRequestResponse:
        """Take the caller's request back."""
        return pb.WithdrawJoinRequestResponse.FromString(
            await self._own(context, request, Action.WITHDRAW_REQUEST, _done)
        )

    async def AcceptJoinRequest(
        self, request: pb.AcceptJoinRequestRequest, context: Context
    ) -> pb.AcceptJoinRequestResponse:
        """Bring in who asked."""
        return pb.AcceptJoinRequestResponse.FromString(
            await self._others(context, request, Action.ACCEPT_REQUEST, _joined)
        )

    async def DeclineJoinRequest(
        self, request: pb.DeclineJoinRequestRequest, context: Context
    ) -> pb.DeclineJoinRequestResponse:
        """End somebody's request."""
        return pb.DeclineJoinRequestResponse.FromString(
            await self._others(context, request, Action.DECLINE_REQUEST, _done)
        )

    async def InvitePlayer(
        self, request: pb.InvitePlayerRequest, context: Context
    ) -> pb.InvitePlayerResponse:
        """Let a player come in."""
        inviter = current_player().account_id

        def reply_of(after: After) -> bytes:
            waiting = Waiting(after.club_id, after.subject, inviter, after.since)
            return _bytes(pb.InvitePlayerResponse(invitation=invitation_message(waiting)))

        return pb.InvitePlayerResponse.FromString(
            await self._others(context, request, Action.INVITE, reply_of)
        )

    async def WithdrawInvitation(
        self, request: pb.WithdrawInvitationRequest, context: Context
    ) -> pb.WithdrawInvitationResponse:
        """Take an invitation back."""
        return pb.WithdrawInvitationResponse.FromString(
            await self._others(context, request, Action.WITHDRAW_INVITATION, _done)
        )

    async def AcceptInvitation(
        self, request: pb.AcceptInvitationRequest, context: Context
    ) -> pb.AcceptInvitationResponse:
        """Bring the invited caller in."""
        return pb.AcceptInvitationResponse.FromString(
            await self._own(context, request, Action.ACCEPT_INVITATION, _joined)
        )

    async def DeclineInvitation(
        self, request: pb.DeclineInvitationRequest, context: Context
    ) -> pb.DeclineInvitationResponse:
        """End the caller's invitation."""
        return pb.DeclineInvitationResponse.FromString(
            await self._own(context, request, Action.DECLINE_INVITATION, _done)
        )

    async def SetMemberRole(
        self, request: pb.SetMemberRoleRequest, context: Context
    ) -> pb.SetMemberRoleResponse:
        """Give a member another role, or the club."""
        check_other(request.player)
        return pb.SetMemberRoleResponse.FromString(
            await self._others(context, request, ACTION_OF_ROLE[request.role], _joined)
        )

    async def RemoveMember(
        self, request: pb.RemoveMemberRequest, context: Context
    ) -> pb.RemoveMemberResponse:
        """Take another member out."""
        check_other(request.player)
        return pb.RemoveMemberResponse.FromString(await self._others(context, request, Action.REMOVE, _done))

    async def DisbandClub(self, request: pb.DisbandClubRequest, context: Context) -> pb.DisbandClubResponse:
        """End a club."""
        caller = CALLER.get()
        actor = caller.account_id if isinstance(caller, Player) else None
        answer = await self._act(context, request, Action.DISBAND, actor, actor or UUID(int=0), _done)
        return pb.DisbandClubResponse.FromString(answer)

    async def _own(
        self, context: Context, request: Any, action: Action, reply_of: Callable[[After], bytes]
    ) -> bytes:
        """Do what the caller wants for the caller."""
        caller = current_player().account_id
        return await self._act(context, request, action, caller, caller, reply_of)

    async def _others(
        self, context: Context, request: Any, action: Action, reply_of: Callable[[After], bytes]
    ) -> bytes:
        """Do what the caller wants with the player named."""
        subject = parse_player("player", request.player)
        return await self._act(context, request, action, current_player().account_id, subject, reply_of)

    async def _act(
        self,
        context: Context,
        request: Any,
        action: Action,
        actor: UUID | None,
        subject: UUID,
        reply_of: Callable[[After], bytes],
    ) -> bytes:
        key, club_id = write_request(context, request), parse_club("club", request.club)
        answer = await self._clubs.act(key, action, club_id, actor, subject, reply_of, self._clock.now())
        return _accepted(answer, club_id, subject)

    def _limit(self, limit: int) -> int:
        if not 0 <= limit <= self._members_max:
            raise invalid_field("club.member_limit", f"0 to {self._members_max}")
        return limit or self._members_max

    def _page(self, kind: str, request: Any) -> tuple[int, Place]:
        """Return the size of the page that is asked for, and the place it comes after."""
        size = page_size(request.page_size, PAGE_DEFAULT, PAGE_MAX)
        if not request.page_token:
            return size, FIRST
        token = self._open(kind, request)
        return size, (datetime.fromisoformat(token["at"]), UUID(token["id"]))

    def _shown(
        self, kind: str, request: Any, rows: Sequence[T], size: int, place_of: Callable[[T], Place]
    ) -> tuple[Sequence[T], str]:
        """Return the rows of a page, and the token of the next one; empty at the end."""
        if len(rows) <= size:
            return rows, ""
        at, of = place_of(rows[size - 1])
        return rows[:size], self._seal(kind, request, {"at": at.isoformat(), "id": str(of)})

    def _open(self, kind: str, request: Any) -> dict[str, Any]:
        return self._tokens.open(kind, request.page_token, self._clock.now(), bound_to=listing(request))

    def _seal(self, kind: str, request: Message, payload: dict[str, str]) -> str:
        return self._tokens.seal(kind, payload, self._clock.now(), PAGE_VALID_S, bound_to=listing(request))


def _accepted(answer: Answer, club_id: UUID | None, player: UUID) -> bytes:
    """Return the reply of a write. Raises Refused."""
    if isinstance(answer, RequestReused):
        raise Refused("REQUEST_ID_REUSED", "this request_id was used with another request before")
    if isinstance(answer, ClubRefusal):
        raise refused(answer, club_id, player)
    return answer


def _found(rows: list[T] | ClubRefusal, club_id: UUID) -> list[T]:
    """Return the rows of a list. Raises Refused."""
    if isinstance(rows, ClubRefusal):
        raise refused(rows, club_id, current_player().account_id)
    return rows


def _joined(after: After) -> bytes:
    """Return the reply that holds the member; JoinClub's and its like are one on the wire."""
    assert after.tie.role is not None, "who is in has a role"
    member = Member(after.club_id, after.subject, after.tie.role, after.since)
    return _bytes(pb.JoinClubResponse(member=member_message(member)))


def _requested(after: After) -> bytes:
    waiting = Waiting(after.club_id, after.subject, None, after.since)
    return _bytes(pb.RequestToJoinResponse(request=request_message(waiting)))


def _done(_after: After) -> bytes:
    return b""


def _bytes(message: Message) -> bytes:
    return message.SerializeToString(deterministic=True)
