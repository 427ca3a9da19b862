"""Bonuses, balances and grants, as a player and an operator use them on the command line."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import uuid4

import pytest

from libs.client.client import SparrowClient
from libs.client.errors import RefusedError
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)


def asked(server: Installation, *arguments: str) -> Any:
    """Run a command with --json and return its document."""
    done = server.sparrow(*arguments, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_a_bonus_is_claimed_and_doubled_once_a_day(sparrow_server: Installation) -> None:
    """`sparrow bonus show|claim|double`: 10 points, 10 more, and a sentence for every second try."""
    me = ("--profile", "claimer")
    before = asked(sparrow_server, "bonus", "show", *me)
    claimed = asked(sparrow_server, "bonus", "claim", *me)
    again = sparrow_server.sparrow("bonus", "claim", *me)
    doubled = asked(sparrow_server, "bonus", "double", *me)
    twice = sparrow_server.sparrow("bonus", "double", *me)
    shown = sparrow_server.sparrow("bonus", "show", *me)

    assert (before["streak_day"], before["claimed"], before["next_points"]) == (0, False, 10)
    assert (claimed["points"], claimed["jokers"], claimed["streak_day"]) == (10, 0, 1)
    assert doubled["points"] == 10
    assert (again.returncode, twice.returncode) == (1, 1)
    assert "You have today's bonus already." in again.stderr
    assert "doubled already." in twice.stderr
    assert "tomorrow pays 20 points" in shown.stdout


async def test_an_operator_grants_jokers_once_a_request(
    sparrow_server: Installation, client: SparrowClient
) -> None:
    """`sparrow operator grant` twice with one --request-id gives once; `sparrow balances` shows it."""
    grant = ("operator", "grant", client.profile.name, "--jokers", "3")
    first = asked(sparrow_server, *grant)
    again = asked(sparrow_server, *grant, "--request-id", first["request_id"])
    async with asyncio.timeout(5):
        while (held := await client.wallet.balances()).chips == 0:  # noqa: ASYNC110 the welcome is on its way
            await asyncio.sleep(0.05)
    mine = asked(sparrow_server, "balances", "--profile", "poor")

    assert first == again
    assert (first["player"], first["asset"], first["amount"]) == (client.profile.name, "JOKER", 3)
    assert (held.jokers, held.chips) == (3, 1_000)
    assert mine["jokers"] == 0
    assert mine["chips"] in (0, 1_000)


def test_who_has_chips_gets_none_and_a_site_without_a_shop_takes_no_receipt(
    sparrow_server: Installation,
) -> None:
    """`sparrow chips claim` once the welcome is there, `sparrow redeem`: a sentence, and exit code 1."""
    me = ("--profile", "rich")
    claimed = sparrow_server.sparrow("chips", "claim", *me)
    while "on their way" in claimed.stderr:
        claimed = sparrow_server.sparrow("chips", "claim", *me)
    redeemed = sparrow_server.sparrow("redeem", "purchase/1/x/5/0", *me)
    held = asked(sparrow_server, "balances", *me)

    assert (claimed.returncode, redeemed.returncode) == (1, 1)
    assert "fewer than 200" in claimed.stderr
    assert "Nothing is sold here." in redeemed.stderr
    assert held == {"jokers": 0, "chips": 1_000, "cups": {}}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("players/me", "--jokers", "1"), "players/me is for players only"),
        ((f"players/{uuid4()}", "--jokers", "1"), "There is no players/"),
        (("players/x",), "Say --jokers N or --chips N"),
        (("players/x", "--jokers", "1", "--chips", "1"), "Say --jokers N or --chips N"),
        (("players/x", "--jokers", "1", "--key-file", "/nowhere"), "/nowhere cannot be read"),
    ],
)
def test_a_grant_that_cannot_be_is_told_in_a_line(
    sparrow_server: Installation, arguments: tuple[str, ...], told: str
) -> None:
    """Nobody, nothing to give, two things to give, no key: exit code 1, and nothing is given."""
    done = sparrow_server.sparrow("operator", "grant", *arguments)

    assert done.returncode == 1
    assert told in done.stderr.replace("\n", " ")


async def test_the_client_tells_refusals_apart(client: SparrowClient) -> None:
    """Nothing to double, claimed, already claimed, already doubled: by their reasons."""
    reasons = []
    for call in (
        client.wallet.double_daily_bonus,
        client.wallet.claim_daily_bonus,
        client.wallet.claim_daily_bonus,
        client.wallet.double_daily_bonus,
        client.wallet.double_daily_bonus,
    ):
        try:
            reasons.append(str((await call()).points))
        except RefusedError as error:
            reasons.append(error.reason)
    bonus = await client.wallet.daily_bonus()

    assert reasons == ["NOTHING_TO_DOUBLE", "10", "ALREADY_CLAIMED", "10", "ALREADY_DOUBLED"]
    assert (bonus.streak_day, bonus.claimed, bonus.doubled, bonus.doubling_points) == (1, True, True, 0)
