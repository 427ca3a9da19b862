"""Which club a command is about: named by id, by its display name, or the caller's own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.markup import escape

from libs.cli.terminal import fail, foreign
from libs.client.client import SparrowClient
from libs.client.club_results import Club

CLUB_NAME = re.compile(r"clubs/[0-9a-f-]{36}")
SHOWN_MAX = 5


async def find_club(client: SparrowClient, wanted: str) -> Club:
    """Return the club of an id or a display name, or the only one whose name begins so; the own one for "".

    Ends the program with a line where there is none, or more than one.
    """
    if CLUB_NAME.fullmatch(wanted):
        return await client.clubs.get(wanted)
    if not wanted:
        return await own_club(client)
    found: list[Club] = []
    async for club in client.clubs.list(wanted):
        if club.display_name.casefold() == wanted.casefold():
            return club
        found.append(club)
        if len(found) > SHOWN_MAX:
            break
    if len(found) != 1:
        fail(_not_one(wanted, found))
    return found[0]


async def own_club(client: SparrowClient) -> Club:
    """Return the club that the player is in. Ends the program with a line where there is none."""
    membership = await client.clubs.membership()
    if membership is None:
        fail("You are in no club: [bold]sparrow clubs list[/] shows some")
    return membership.club


def _not_one(wanted: str, found: Sequence[Club]) -> str:
    """Return what to say where a word leads to no club, or to several."""
    if not found:
        return f"There is no club called {escape(foreign(wanted).plain)}"
    names = ", ".join(escape(foreign(club.display_name).plain) for club in found[:SHOWN_MAX])
    return f"Which club? {names}{', …' if len(found) > SHOWN_MAX else ''}"
