"""Clubs as players use them: the board that members fill, and the commands."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from libs.client.client import SparrowClient
from libs.client.errors import RefusedError
from libs.client.results import BoardKind
from tests.support.installation import Installation
from tests.support.playing import clear

pytestmark = pytest.mark.timeout(400)
SHOWN_WITHIN_S = 5.0


@pytest.fixture
async def other(sparrow_server: Installation) -> AsyncIterator[SparrowClient]:
    """Another new player."""
    async with await SparrowClient.connect(sparrow_server.endpoint) as connected:
        yield connected


async def cleared(client: SparrowClient, level: int) -> int:
    """Clear a level and return the points, once they are on the board of the day."""
    before = await points(client)
    game = await clear(await client.start_level(level))
    assert game.result is not None
    async with asyncio.timeout(SHOWN_WITHIN_S):
        while await points(client) != before + game.result.points:  # noqa: ASYNC110 boards set no event
            await asyncio.sleep(0.05)
    return game.result.points


async def points(client: SparrowClient) -> int:
    """Return a player's points of the day."""
    daily = next(one for one in await client.standings() if one.window.board is BoardKind.DAILY)
    return daily.entry.points if daily.entry is not None else 0


async def club_board(client: SparrowClient, club: str, board: BoardKind) -> dict[str, int]:
    """Return a club's board."""
    return {row.player: row.points async for row in client.boards.rows(board, club=club)}


async def until_shown(client: SparrowClient, club: str, expected: dict[str, int]) -> None:
    """Wait until the club's three boards are as expected."""
    async with asyncio.timeout(SHOWN_WITHIN_S):
        for board in (BoardKind.DAILY, BoardKind.WEEKLY, BoardKind.AMR):
            while await _shown(client, club, board) != expected:  # noqa: ASYNC110 boards set no event
                await asyncio.sleep(0.05)


async def _shown(client: SparrowClient, club: str, board: BoardKind) -> dict[str, int] | None:
    """Return a club's board; none while the ledger has not heard of the club."""
    try:
        return await club_board(client, club, board)
    except RefusedError as refused:
        if refused.reason != "NOT_FOUND":
            raise
        return None


async def test_a_clubs_board_shows_what_its_members_earned_while_they_were_in(
    client: SparrowClient, other: SparrowClient
) -> None:
    """Joining brings no earlier points; leaving keeps the points earned inside, and brings no later ones."""
    me, you = client.profile.name, other.profile.name
    await cleared(client, 1)
    club = (await client.clubs.create(f"Dawn {me[-8:]}")).name
    await until_shown(client, club, {})
    mine = await cleared(client, 2)
    await until_shown(client, club, {me: mine})

    await cleared(other, 1)
    await other.clubs.join(club)
    await until_shown(other, club, {me: mine})
    yours = await cleared(other, 2)
    await until_shown(other, club, {me: mine, you: yours})

    await other.clubs.leave(club)
    await cleared(other, 3)
    mine += await cleared(client, 3)
    await until_shown(client, club, {me: mine, you: yours})


def asked(server: Installation, player: str, *arguments: str) -> Any:
    """Run a command of clubs with --json as a local player and return its document."""
    done = server.sparrow("clubs", *arguments, "--profile", player, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_a_club_is_run_from_the_command_line(sparrow_server: Installation) -> None:
    """Founded, found by name, asked, accepted, promoted, left: documents and sentences."""
    club = asked(
        sparrow_server, "owner", "create", "Night Owls", "--policy", "by_request", "--about", "Late games"
    )
    listed = asked(sparrow_server, "guest", "list", "night")
    waits = asked(sparrow_server, "guest", "join", "night owls")
    (request,) = asked(sparrow_server, "owner", "requests")
    member = asked(sparrow_server, "owner", "accept", request["player"])
    promoted = asked(sparrow_server, "owner", "role", request["player"], "officer")
    seen = asked(sparrow_server, "guest", "show")
    picture = sparrow_server.sparrow("clubs", "show", "Night Owls", "--profile", "stranger")
    stays = sparrow_server.sparrow("clubs", "leave", "--profile", "owner")
    asked(sparrow_server, "guest", "leave")
    nowhere = sparrow_server.sparrow("clubs", "show", "--profile", "guest")
    unknown = sparrow_server.sparrow("clubs", "join", "No Such Club", "--profile", "guest")
    asked(sparrow_server, "owner", "disband")

    assert (club["display_name"], club["join_policy"], club["member_limit"]) == (
        "Night Owls",
        "by_request",
        50,
    )
    assert listed == [club]
    assert (waits["club"], waits["player"]) == (club["name"], request["player"])
    assert (member["role"], promoted["role"]) == ("member", "officer")
    assert [one["role"] for one in seen["members"]] == ["owner", "officer"]
    assert picture.returncode == 0
    for words in ("Night Owls", "Late games", "officer", "2 of 50 places, joined by request"):
        assert words in picture.stdout
    assert (stays.returncode, nowhere.returncode, unknown.returncode) == (1, 1, 1)
    assert "Hand the club over before you leave." in stays.stderr
    assert "You are in no club" in nowhere.stderr
    assert "There is no club called No Such Club" in unknown.stderr


def test_an_invitation_is_accepted_from_the_command_line(sparrow_server: Installation) -> None:
    """By invitation alone: the guest is shown the club's name, joins it, or declines."""
    asked(sparrow_server, "host", "create", "Closed Circle", "--policy", "by_invitation")
    own = sparrow_server.sparrow("clubs", "join", "Closed Circle", "--profile", "friend")
    friend = asked(sparrow_server, "friend", "create", "Short Lived")
    player = asked(sparrow_server, "friend", "show")["members"][0]["player"]
    asked(sparrow_server, "friend", "disband")
    asked(sparrow_server, "host", "invite", player)
    shown = sparrow_server.sparrow("clubs", "invitations", "--profile", "friend")
    (sent,) = asked(sparrow_server, "host", "invitations", "--of-club")
    joined = asked(sparrow_server, "friend", "join", "Closed Circle")

    assert friend["display_name"] == "Short Lived"
    assert own.returncode == 1
    assert "no invitation" in own.stderr
    assert "Closed Circle" in shown.stdout
    assert (sent["player"], joined["player"], joined["role"]) == (player, player, "member")
