"""Clubs under a rush: limits, one club a player, rows and facts that agree, breaks around a commit."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from libs.eventstore import faults
from libs.eventstore.faults import Faults
from libs.pb.sparrow.account.v1 import club_event_pb2, club_pb2
from libs.runtime.errors import STATUS_OF_REASON
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
    outcome,
    players,
    rows,
)
from tests.support.edge import Edge, serving


@pytest.fixture
async def edge(module_database_url: str) -> AsyncIterator[Edge]:
    """A server with the account service."""
    async with serving([bind], database_url=module_database_url) as edge:
        yield edge


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
