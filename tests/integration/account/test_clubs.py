"""Clubs over real gRPC and PostgreSQL: every way in and out, roles, limits, repeats, races."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from sqlalchemy import text

from libs.eventstore import faults
from libs.eventstore.faults import Faults
from libs.pb.sparrow.account.v1 import account_service_pb2 as account_pb
from libs.pb.sparrow.account.v1 import club_event_pb2, club_pb2
from libs.pb.sparrow.account.v1 import club_service_pb2 as pb
from libs.pb.sparrow.account.v1.account_service_pb2_grpc import AccountServiceStub
from libs.pb.sparrow.account.v1.club_service_pb2_grpc import ClubServiceStub
from libs.runtime.errors import STATUS_OF_REASON
from services.account.domain.clubs import CLUB_WAITING_MAX, PLAYER_REQUESTS_MAX
from services.account.servicer import bind
from tests.support.edge import Edge, Refusal, bearer, refused, serving

OPEN, BY_REQUEST = club_pb2.JOIN_POLICY_OPEN, club_pb2.JOIN_POLICY_BY_REQUEST
BY_INVITATION = club_pb2.JOIN_POLICY_BY_INVITATION
OWNER, OFFICER, MEMBER = club_pb2.CLUB_ROLE_OWNER, club_pb2.CLUB_ROLE_OFFICER, club_pb2.CLUB_ROLE_MEMBER


@pytest.fixture
async def edge(module_database_url: str) -> AsyncIterator[Edge]:
    """A server with the account service."""
    async with serving([bind], database_url=module_database_url) as edge:
        yield edge


@dataclass
class PlayerCalls:
    """A signed-in player who calls ClubService; every call has a request_id of its own where it takes one."""

    name: str
    metadata: Any
    edge: Edge

    def call(self, method: str, **fields: Any) -> Any:
        """Call a method."""
        request: Message = getattr(pb, f"{method}Request")(**fields)
        if "request_id" in request.DESCRIPTOR.fields_by_name and "request_id" not in fields:
            request.request_id = str(uuid4())  # type: ignore[attr-defined]
        return getattr(ClubServiceStub(self.edge.channel), method)(request, metadata=self.metadata)

    async def refused(self, method: str, **fields: Any) -> Refusal:
        """Make a call that must fail."""
        return await refused(self.call(method, **fields))

    async def founded(self, policy: Any = OPEN, **fields: Any) -> str:
        """Found a club and return its name."""
        club = club_pb2.Club(
            display_name=fields.pop("display_name", f"Club {secrets.token_hex(6)}"),
            join_policy=policy,
            **fields,
        )
        return str((await self.call("CreateClub", club=club)).club.name)


async def sign_up(edge: Edge) -> PlayerCalls:
    """Return a new player."""
    request = account_pb.SignInRequest(device_key=secrets.token_bytes(32), request_id=str(uuid4()))
    signed_in = await AccountServiceStub(edge.channel).SignIn(request)
    return PlayerCalls(signed_in.profile.name, bearer(signed_in.session.access_token), edge)


async def players(edge: Edge, count: int) -> list[PlayerCalls]:
    """Return new players."""
    return [await sign_up(edge) for _ in range(count)]


async def members(player: PlayerCalls, club: str) -> dict[str, Any]:
    """Return the members of a club with their roles, in the order of joining."""
    listed = await player.call("ListMembers", club=club)
    return {member.player: member.role for member in listed.members}


async def rows(edge: Edge, query: str, **values: Any) -> list[Any]:
    """Return the rows of a query."""
    async with edge.databases[0].engine.connect() as connection:
        return list((await connection.execute(text(query), values)).all())


async def club_events(edge: Edge, club: str) -> list[str]:
    """Return the types of a club's facts, in the order of their recording."""
    found = await rows(
        edge,
        "SELECT type FROM event e JOIN outbox USING (part, stream_id, version) WHERE position(:club IN"
        " encode(data, 'escape')) > 0 ORDER BY outbox.pos",
        club=club.removeprefix("clubs/"),
    )
    return [row.type.removeprefix("sparrow.account.").removesuffix(".v1") for row in found]


async def test_an_open_club_is_founded_joined_and_left(edge: Edge) -> None:
    """Its founder is the owner; who joins is a member since then; facts tell, in order, and nothing else."""
    ana, bob = await players(edge, 2)
    club = await ana.founded(description="  We play at noon.\n", member_limit=2)
    edge.clock.advance(timedelta(minutes=5))
    joined = (await bob.call("JoinClub", club=club)).member
    inside = await members(ana, club)
    own = (await bob.call("GetMembership", player="players/me")).membership
    await bob.call("LeaveClub", club=club)
    seen = (await bob.call("GetClub", name=club)).club

    assert (joined.player, joined.role) == (bob.name, MEMBER)
    assert joined.join_time.ToDatetime(UTC) == edge.clock.now()
    assert list(inside.items()) == [(ana.name, OWNER), (bob.name, MEMBER)]
    assert (own.club.name, own.club.member_count, own.member) == (club, 2, joined)
    assert (seen.description, seen.member_limit, seen.member_count) == ("We play at noon.", 2, 1)
    assert not (await bob.call("GetMembership", player="players/me")).HasField("membership")
    assert await club_events(edge, club) == [
        "club_created",
        "club_member_joined",
        "club_member_joined",
        "club_member_left",
    ]


async def test_a_club_by_request_lets_in_whom_an_officer_accepts(edge: Edge) -> None:
    """Ask, wait, be listed, be accepted or declined, or take it back; nobody joins past it."""
    ana, bob, cleo, dan = await players(edge, 4)
    club = await ana.founded(BY_REQUEST)
    asked = (await bob.call("RequestToJoin", club=club)).request
    for player in (cleo, dan):
        await player.call("RequestToJoin", club=club)
    waiting = (await ana.call("ListJoinRequests", club=club)).requests
    accepted = (await ana.call("AcceptJoinRequest", club=club, player=bob.name)).member
    await ana.call("DeclineJoinRequest", club=club, player=cleo.name)
    await dan.call("WithdrawJoinRequest", club=club)

    assert {one.player for one in waiting} == {bob.name, cleo.name, dan.name}
    assert asked in waiting
    assert (accepted.player, accepted.role) == (bob.name, MEMBER)
    assert not (await ana.call("ListJoinRequests", club=club)).requests
    assert set(await members(ana, club)) == {ana.name, bob.name}
    for call, reason in (
        (bob.refused("ListJoinRequests", club=club), "ROLE_TOO_LOW"),
        (cleo.refused("JoinClub", club=club), "JOIN_POLICY"),
        (ana.refused("AcceptJoinRequest", club=club, player=cleo.name), "NO_JOIN_REQUEST"),
        (bob.refused("RequestToJoin", club=club), "ALREADY_A_MEMBER"),
        (cleo.refused("AcceptJoinRequest", club=club, player=cleo.name), "ROLE_TOO_LOW"),
        (dan.refused("WithdrawJoinRequest", club=club), "NO_JOIN_REQUEST"),
    ):
        assert (await call).reason == reason


async def test_an_invitation_opens_any_club(edge: Edge) -> None:
    """By invitation alone: invited players accept or decline; the club may take it back."""
    ana, bob, cleo, dan = await players(edge, 4)
    club = await ana.founded(BY_INVITATION)
    first = (await ana.call("InvitePlayer", club=club, player=bob.name)).invitation
    for player in (cleo, dan):
        await ana.call("InvitePlayer", club=club, player=player.name)
    of_bob = (await bob.call("ListInvitations")).invitations
    of_club = (await ana.call("ListInvitations", club=club)).invitations
    again = await ana.refused("InvitePlayer", club=club, player=bob.name)
    joined = (await bob.call("AcceptInvitation", club=club)).member
    await cleo.call("DeclineInvitation", club=club)
    await ana.call("WithdrawInvitation", club=club, player=dan.name)

    assert list(of_bob) == [first]
    assert (first.club, first.player, first.inviter) == (club, bob.name, ana.name)
    assert len(of_club) == 3
    assert again.reason == "ALREADY_INVITED"
    assert (joined.player, joined.role) == (bob.name, MEMBER)
    assert not (await ana.call("ListInvitations", club=club)).invitations
    for call, reason in (
        (cleo.refused("AcceptInvitation", club=club), "NO_INVITATION"),
        (dan.refused("AcceptInvitation", club=club), "NO_INVITATION"),
        (dan.refused("RequestToJoin", club=club), "JOIN_POLICY"),
        (bob.refused("InvitePlayer", club=club, player=dan.name), "ROLE_TOO_LOW"),
        (bob.refused("ListInvitations", club=club), "ROLE_TOO_LOW"),
        (ana.refused("InvitePlayer", club=club, player=f"players/{uuid4()}"), "NOT_FOUND"),
    ):
        assert (await call).reason == reason


async def test_roles_say_who_may_do_what(edge: Edge) -> None:
    """Officers edit and remove plain members; the owner sets roles, hands over, and only then leaves."""
    ana, bob, cleo = await players(edge, 3)
    club = await ana.founded()
    for player in (bob, cleo):
        await player.call("JoinClub", club=club)
    edited = club_pb2.Club(name=club, description="by an officer")
    mask = FieldMask(paths=["description"])
    before = await bob.refused("UpdateClub", club=edited, update_mask=mask)
    officer = (await ana.call("SetMemberRole", club=club, player=bob.name, role=OFFICER)).member
    after = (await bob.call("UpdateClub", club=edited, update_mask=mask)).club
    forbidden = [
        await bob.refused("SetMemberRole", club=club, player=cleo.name, role=OFFICER),
        await bob.refused("RemoveMember", club=club, player=ana.name),
        await bob.refused("DisbandClub", club=club),
        await cleo.refused("RemoveMember", club=club, player=bob.name),
    ]
    stays = await ana.refused("LeaveClub", club=club)
    not_empty = await ana.refused("DisbandClub", club=club)
    same = (await ana.call("SetMemberRole", club=club, player=bob.name, role=OFFICER)).member
    handed = (await ana.call("SetMemberRole", club=club, player=bob.name, role=OWNER)).member
    roles = await members(ana, club)
    await ana.call("RemoveMember", club=club, player=cleo.name)
    await ana.call("LeaveClub", club=club)

    assert (before.reason, before.code) == ("ROLE_TOO_LOW", grpc.StatusCode.PERMISSION_DENIED)
    assert after.description == "by an officer"
    assert {refusal.reason for refusal in forbidden} == {"ROLE_TOO_LOW"}
    assert (stays.reason, not_empty.reason) == ("OWNER_STAYS", "CLUB_NOT_EMPTY")
    assert same == officer
    assert (handed.role, handed.join_time) == (OWNER, officer.join_time)
    assert roles == {ana.name: OFFICER, bob.name: OWNER, cleo.name: MEMBER}
    assert await members(bob, club) == {bob.name: OWNER}
    assert (await club_events(edge, club)).count("club_role_changed") == 3


async def test_the_last_one_out_ends_the_club_and_frees_its_name(edge: Edge) -> None:
    """An owner who is alone leaves or disbands: the club is unknown, and its name is to be had."""
    ana, bob = await players(edge, 2)
    for method in ("LeaveClub", "DisbandClub"):
        club = await ana.founded(display_name="Last Lantern")
        taken = await bob.refused(
            "CreateClub", club=club_pb2.Club(display_name="last  1antern", join_policy=OPEN)
        )
        await ana.call("InvitePlayer", club=club, player=bob.name)
        await ana.call(method, club=club)

        assert (taken.reason, taken.code) == ("NAME_TAKEN", grpc.StatusCode.FAILED_PRECONDITION)
        assert (await bob.refused("GetClub", name=club)).reason == "NOT_FOUND"
        assert (await bob.refused("ListMembers", club=club)).reason == "NOT_FOUND"
        assert (await bob.refused("AcceptInvitation", club=club)).reason == "NOT_FOUND"
        assert not (await bob.call("ListInvitations")).invitations
        assert (await club_events(edge, club))[-2:] == ["club_member_left", "club_disbanded"]


async def test_an_operator_disbands_any_club_and_everybody_leaves(edge: Edge) -> None:
    """All members are out at one instant; players of the club may found or join another at once."""
    ana, bob, cleo = await players(edge, 3)
    club = await ana.founded()
    for player in (bob, cleo):
        await player.call("JoinClub", club=club)
    operator = PlayerCalls("", edge.as_operator(), edge)
    await operator.call("DisbandClub", club=club)
    again = await operator.refused("DisbandClub", club=club)

    assert again.reason == "NOT_FOUND"
    assert (await club_events(edge, club))[-4:] == [*["club_member_left"] * 3, "club_disbanded"]
    await bob.call("JoinClub", club=await ana.founded())


async def test_a_player_is_in_one_club_at_a_time(edge: Edge) -> None:
    """Founding, joining, asking, and coming in by request or invitation are refused until one has left."""
    ana, bob, cleo = await players(edge, 3)
    here, there = await ana.founded(BY_REQUEST), await bob.founded()
    await cleo.call("RequestToJoin", club=here)
    await cleo.call("JoinClub", club=there)
    stuck = [
        await cleo.refused("CreateClub", club=club_pb2.Club(display_name="Third One", join_policy=OPEN)),
        await ana.refused("AcceptJoinRequest", club=here, player=cleo.name),
        await ana.refused("JoinClub", club=there),
        await bob.refused("RequestToJoin", club=here),
    ]
    await cleo.call("LeaveClub", club=there)
    await ana.call("AcceptJoinRequest", club=here, player=cleo.name)

    assert {refusal.reason for refusal in stuck} == {"IN_ANOTHER_CLUB"}
    assert {refusal.code for refusal in stuck} == {grpc.StatusCode.FAILED_PRECONDITION}
    assert set(await members(ana, here)) == {ana.name, cleo.name}


async def test_64_joins_at_a_club_with_three_places_let_three_in(edge: Edge) -> None:
    """The limit holds under concurrency: exactly three are in, the others are told that it is full."""
    ana, *others = await players(edge, 65)
    club = await ana.founded(member_limit=4)
    outcomes = await asyncio.gather(*(outcome(player.call("JoinClub", club=club)) for player in others))

    assert sorted(outcomes) == ["CLUB_FULL"] * 61 + ["OK"] * 3
    assert len(await members(ana, club)) == 4
    assert (await ana.call("GetClub", name=club)).club.member_count == 4
    assert (await club_events(edge, club)).count("club_member_joined") == 4


async def test_a_player_who_joins_many_clubs_at_once_is_in_one(edge: Edge) -> None:
    """Sixteen clubs at the same moment: one takes the player, the others say so."""
    player, *owners = await players(edge, 17)
    clubs = [await owner.founded() for owner in owners]
    outcomes = await asyncio.gather(*(outcome(player.call("JoinClub", club=club)) for club in clubs))
    inside = [club for club in clubs if player.name in await members(player, club)]

    assert sorted(outcomes) == ["IN_ANOTHER_CLUB"] * 15 + ["OK"]
    assert [(await player.call("GetMembership", player="players/me")).membership.club.name] == inside


async def test_a_repeated_command_is_answered_as_the_first_time(edge: Edge) -> None:
    """Eight copies at once, and one after the state has moved on, get the same bytes; it happens once."""
    ana, bob = await players(edge, 2)
    request_id = str(uuid4())
    club_fields = club_pb2.Club(display_name=f"Twice {secrets.token_hex(4)}", join_policy=OPEN)
    made = await asyncio.gather(
        *(ana.call("CreateClub", club=club_fields, request_id=request_id) for _ in range(8))
    )
    club = made[0].club.name
    joins = await asyncio.gather(*(bob.call("JoinClub", club=club, request_id="j") for _ in range(8)))
    await bob.call("LeaveClub", club=club, request_id="l")
    later = await bob.call("JoinClub", club=club, request_id="j")
    left_again = await bob.call("LeaveClub", club=club, request_id="l")
    other = await bob.refused("LeaveClub", club=club, request_id="j")

    assert len({one.SerializeToString() for one in made}) == 1
    assert {one.SerializeToString() for one in joins} == {later.SerializeToString()}
    assert left_again == pb.LeaveClubResponse()
    assert (other.reason, other.code) == ("REQUEST_ID_REUSED", grpc.StatusCode.FAILED_PRECONDITION)
    assert await members(ana, club) == {ana.name: OWNER}
    assert (await club_events(edge, club)).count("club_member_joined") == 2


async def test_an_edit_is_repeat_safe_and_keeps_what_it_does_not_name(edge: Edge) -> None:
    """Only fields of the mask change; a limit below the members sends nobody out; names stay unique."""
    ana, bob, cleo = await players(edge, 3)
    club = await ana.founded(display_name="Quiet Pond", description="as before")
    await bob.call("JoinClub", club=club)
    await cleo.founded(display_name="Loud Pond")
    change = {
        "club": club_pb2.Club(name=club, display_name="Still Pond", member_limit=1),
        "update_mask": FieldMask(paths=["display_name", "member_limit"]),
    }
    first = await ana.call("UpdateClub", request_id="e", **change)
    later = (
        await ana.call(
            "UpdateClub",
            club=club_pb2.Club(name=club, join_policy=BY_REQUEST),
            update_mask=FieldMask(paths=["join_policy"]),
        )
    ).club
    again = await ana.call("UpdateClub", request_id="e", **change)
    renamed = club_pb2.Club(name=club, display_name="loud pond")
    taken = await ana.refused("UpdateClub", club=renamed, update_mask=FieldMask(paths=["display_name"]))
    events = await club_events(edge, club)

    assert (first.club.display_name, first.club.member_limit, first.club.member_count) == ("Still Pond", 1, 2)
    assert again == first
    assert (later.display_name, later.description, later.join_policy) == (
        "Still Pond",
        "as before",
        BY_REQUEST,
    )
    assert taken.reason == "NAME_TAKEN"
    assert events == ["club_created", "club_member_joined", "club_member_joined"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"display_name": ""}, "club.display_name"),
        ({"display_name": "x" * 25}, "club.display_name"),
        ({"display_name": "a\u200bb"}, "club.display_name"),
        ({"join_policy": 0}, "club.join_policy"),
        ({"member_limit": -1}, "club.member_limit"),
        ({"member_limit": 51}, "club.member_limit"),
        ({"description": "x" * 501}, "club.description"),
        ({"description": "\n".join("abcdefghijk")}, "club.description"),
        ({"description": "bell\a"}, "club.description"),
    ],
)
async def test_a_club_that_cannot_be_is_refused_by_field(
    edge: Edge, fields: dict[str, Any], field: str
) -> None:
    """Names as players' are, short texts without tricks, a way in, a limit that the site allows."""
    player = await sign_up(edge)
    club = club_pb2.Club(**{"display_name": "A Club", "join_policy": OPEN, **fields})
    refusal = await player.refused("CreateClub", club=club)

    assert (refusal.reason, refusal.field) == ("FIELD_INVALID", field)


async def test_clubs_and_members_are_listed_by_pages(edge: Edge) -> None:
    """By name from a prefix, look-alikes and case aside; members by joining; tokens are bound to the list."""
    word = secrets.token_hex(4).translate(str.maketrans("01", "zy"))
    owners = await players(edge, 5)
    names = [f"{word} {letter}" for letter in "edcba"]
    clubs = [await owner.founded(display_name=name) for owner, name in zip(owners, names, strict=True)]
    reader = await sign_up(edge)

    async def pages(method: str, field: str, **fields: Any) -> list[Any]:
        found, token = [], ""
        while True:
            page = await reader.call(method, page_size=2, page_token=token, **fields)
            assert len(getattr(page, field)) <= 2
            found += getattr(page, field)
            if not (token := page.next_page_token):
                return found

    listed = await pages("ListClubs", "clubs", prefix=word.upper())
    one = await pages("ListClubs", "clubs", prefix=f"{word} C")
    joiners = await players(edge, 4)
    for joiner in joiners:
        edge.clock.advance(timedelta(seconds=1))
        await joiner.call("JoinClub", club=clubs[0])
    in_order = await pages("ListMembers", "members", club=clubs[0])
    token = (await reader.call("ListClubs", prefix=word, page_size=2)).next_page_token
    borrowed = await reader.refused("ListClubs", prefix="other", page_size=2, page_token=token)

    assert [club.name for club in listed] == clubs[::-1]
    assert [club.name for club in one] == [clubs[2]]
    assert [member.player for member in in_order] == [owners[0].name, *(joiner.name for joiner in joiners)]
    assert borrowed.reason == "PAGE_TOKEN_INVALID"
    assert (await reader.refused("ListClubs", prefix="---")).field == "prefix"


async def test_waiting_rooms_have_a_bound(edge: Edge) -> None:
    """A player asks ten clubs, a club has a hundred requests: then RESOURCE_EXHAUSTED with a RetryInfo."""
    ana, bob = await players(edge, 2)
    club = await ana.founded(BY_REQUEST)
    club_id = UUID(club.removeprefix("clubs/"))
    others = [await player.founded(BY_REQUEST) for player in await players(edge, PLAYER_REQUESTS_MAX)]
    for other in others:
        await bob.call("RequestToJoin", club=other)
    too_many_of_one = await bob.refused("RequestToJoin", club=club)
    async with edge.databases[0].engine.begin() as connection:
        await connection.execute(
            text(
                "WITH new AS (INSERT INTO profile SELECT gen_random_uuid(), n, :salt || n, now()"
                " FROM generate_series(1, :n) n RETURNING account_id)"
                " INSERT INTO club_waiting SELECT :club, account_id, 'requested', NULL, now() FROM new"
            ),
            {"salt": str(uuid4()), "n": CLUB_WAITING_MAX, "club": club_id},
        )
    too_many_at_one = await (await sign_up(edge)).refused("RequestToJoin", club=club)

    for refusal in (too_many_of_one, too_many_at_one):
        assert (refusal.reason, refusal.code) == ("TOO_MANY_WAITING", grpc.StatusCode.RESOURCE_EXHAUSTED)
        assert refusal.retry_after_ms


async def test_strangers_and_unknown_clubs_are_told_apart(edge: Edge) -> None:
    """No such club, no such player, oneself in place of another, no member, no token of a player."""
    ana, bob = await players(edge, 2)
    club, nowhere = await ana.founded(), f"clubs/{uuid4()}"
    ghost = PlayerCalls("", edge.as_player(), edge)
    for call, reason in (
        (bob.refused("JoinClub", club=nowhere), "NOT_FOUND"),
        (bob.refused("JoinClub", club="clubs/x"), "FIELD_INVALID"),
        (ghost.refused("JoinClub", club=club), "NOT_FOUND"),
        (bob.refused("LeaveClub", club=club), "NOT_A_MEMBER"),
        (ana.refused("RemoveMember", club=club, player=ana.name), "FIELD_INVALID"),
        (ana.refused("SetMemberRole", club=club, player=ana.name, role=MEMBER), "FIELD_INVALID"),
        (ana.refused("SetMemberRole", club=club, player=bob.name, role=OFFICER), "NOT_A_MEMBER"),
        (ana.refused("SetMemberRole", club=club, player=bob.name, role=0), "FIELD_INVALID"),
        (ana.refused("JoinClub", club=club), "ALREADY_A_MEMBER"),
        (PlayerCalls("", edge.as_operator(), edge).refused("JoinClub", club=club), "AUDIENCE"),
        (PlayerCalls("", edge.as_service(), edge).refused("DisbandClub", club=club), "AUDIENCE"),
    ):
        assert (await call).reason == reason


async def outcome(call: Awaitable[Any]) -> str:
    """Return OK, or the reason of a refusal."""
    try:
        await call
    except grpc.aio.AioRpcError:
        return (await refused(call)).reason
    return "OK"


async def walk(player: PlayerCalls, clubs: list[str], others: list[str], chance: random.Random) -> None:
    """Make random calls; whatever is refused is refused by name."""
    own: list[tuple[str, Callable[[str], dict[str, Any]]]] = [
        (method, lambda club: {"club": club})
        for method in (
            "JoinClub",
            "LeaveClub",
            "RequestToJoin",
            "WithdrawJoinRequest",
            "AcceptInvitation",
            "DeclineInvitation",
        )
    ]
    of_others: list[tuple[str, Callable[[str], dict[str, Any]]]] = [
        (method, lambda club: {"club": club, "player": chance.choice(others)})
        for method in (
            "AcceptJoinRequest",
            "DeclineJoinRequest",
            "InvitePlayer",
            "WithdrawInvitation",
            "RemoveMember",
        )
    ]
    roles: tuple[str, Callable[[str], dict[str, Any]]] = (
        "SetMemberRole",
        lambda club: {
            "club": club,
            "player": chance.choice(others),
            "role": chance.choice([OWNER, OFFICER, MEMBER]),
        },
    )
    for _ in range(40):
        method, fields = chance.choice([*own, *of_others, roles])
        answer = await outcome(player.call(method, **fields(chance.choice(clubs))))
        assert answer == "OK" or answer in STATUS_OF_REASON


@pytest.mark.parametrize("seed", [7, 2718])
async def test_whatever_players_do_at_once_rows_and_facts_agree(edge: Edge, seed: int) -> None:
    """Members, roles and waiting are the fold of the facts; one owner a club, one club a player."""
    crowd = await players(edge, 10)
    clubs = [
        await player.founded(policy, member_limit=4)
        for player, policy in zip(crowd, (OPEN, BY_REQUEST, BY_INVITATION), strict=False)
    ]
    names = [player.name for player in crowd]
    await asyncio.gather(
        *(walk(player, clubs, names, random.Random(seed + place)) for place, player in enumerate(crowd))
    )
    folded: dict[tuple[str, str], str] = {}
    counts: dict[str, int] = {}
    ids = [club.removeprefix("clubs/") for club in clubs]
    for event in await rows(
        edge,
        "SELECT e.* FROM event e JOIN outbox o USING (part, stream_id, version)"
        " WHERE type LIKE 'sparrow.account.club%' ORDER BY o.pos",
    ):
        what = event.type.removeprefix("sparrow.account.club_").removesuffix(".v1")
        message_type: Any = getattr(club_event_pb2, f"Club{what.title().replace('_', '')}")
        fact = message_type.FromString(event.data)
        if fact.club_id not in ids or what in ("created", "disbanded"):
            continue
        tie = (fact.club_id, fact.account_id)
        counts.setdefault(fact.club_id, 0)
        match what:
            case "member_joined" | "role_changed":
                folded[tie] = club_pb2.ClubRole.Name(fact.role).removeprefix("CLUB_ROLE_").lower()
                counts[fact.club_id] += what == "member_joined"
            case "member_left" | "join_request_ended" | "invitation_ended":
                folded.pop(tie)
                counts[fact.club_id] -= what == "member_left"
            case "join_requested":
                assert tie not in folded
                folded[tie] = "requested"
            case "player_invited":
                assert tie not in folded
                folded[tie] = "invited"
        assert counts[fact.club_id] <= 4
    alive = {str(row.club_id): row for row in await rows(edge, "SELECT * FROM club")}
    kept = {
        (str(row[0]), str(row[1])): row[2]
        for row in await rows(
            edge,
            "SELECT club_id, account_id, role FROM club_member"
            " UNION ALL SELECT club_id, account_id, bond FROM club_waiting",
        )
        if str(row[0]) in ids
    }
    members_of = [tie for tie, state in kept.items() if state in ("owner", "officer", "member")]

    assert kept == {tie: state for tie, state in folded.items() if tie[0] in alive}
    assert len({account for _, account in members_of}) == len(members_of)
    for club_id in set(ids) & alive.keys():
        inside = [kept[tie] for tie in members_of if tie[0] == club_id]
        assert inside.count("owner") == 1
        assert len(inside) == alive[club_id].members == counts[club_id]


@pytest.mark.parametrize("point", ["club.rows_in", "club.committed"])
async def test_facts_rows_and_reply_of_a_command_are_one(
    edge: Edge, point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever breaks around the commit, the same request again does it once and gets its answer."""
    ana, bob = await players(edge, 2)
    club = await ana.founded()
    monkeypatch.setattr(faults, "_FAULTS", Faults(f"{point}:raise"))
    broken = await bob.refused("JoinClub", club=club, request_id="once")
    inside = bob.name in await members(ana, club)
    joined = (await bob.call("JoinClub", club=club, request_id="once")).member

    assert broken.code == grpc.StatusCode.INTERNAL
    assert inside == (point == "club.committed")
    assert (joined.player, joined.role) == (bob.name, MEMBER)
    assert (await ana.call("GetClub", name=club)).club.member_count == 2
    assert (await club_events(edge, club)).count("club_member_joined") == 2


async def test_clubs_that_take_each_others_names_are_told_so(edge: Edge) -> None:
    """At the same moment, over and over: both are refused by name, and no deadlock is an error of ours."""
    ana, bob = await players(edge, 2)
    mask = FieldMask(paths=["display_name"])
    names = [f"Swap {secrets.token_hex(4)}", f"Swop {secrets.token_hex(4)}"]
    clubs = [await ana.founded(display_name=names[0]), await bob.founded(display_name=names[1])]
    for _ in range(15):
        outcomes = await asyncio.gather(
            *(
                outcome(
                    player.call(
                        "UpdateClub",
                        club=club_pb2.Club(name=club, display_name=wanted),
                        update_mask=mask,
                    )
                )
                for player, club, wanted in zip((ana, bob), clubs, names[::-1], strict=True)
            )
        )
        assert set(outcomes) == {"NAME_TAKEN"}
