"""Clubs over real gRPC and PostgreSQL: every way in and out, roles, limits, repeats."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from datetime import UTC, timedelta
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from sqlalchemy import text

from libs.pb.sparrow.account.v1 import club_pb2
from libs.pb.sparrow.account.v1 import club_service_pb2 as pb
from services.account.domain.clubs import CLUB_WAITING_MAX, PLAYER_REQUESTS_MAX
from services.account.servicer import bind
from tests.support.club_calls import (
    BY_INVITATION,
    BY_REQUEST,
    MEMBER,
    OFFICER,
    OPEN,
    OWNER,
    PlayerCalls,
    club_events,
    members,
    players,
    sign_up,
)
from tests.support.edge import Edge, serving


@pytest.fixture
async def edge(module_database_url: str) -> AsyncIterator[Edge]:
    """A server with the account service."""
    async with serving([bind], database_url=module_database_url) as edge:
        yield edge


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
