"""Bots of a demo that are offered a rematch: now and then they want one."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from libs.client.client import SparrowClient
from libs.client.errors import RefusedError, SparrowError
from libs.client.rematches import RematchAnswer

WANTS_AGAIN: Final = 0.6
"""How often a bot says yes."""


async def play_again(client: SparrowClient, match: str, stop: asyncio.Event, *, wants: bool) -> str | None:
    """Answer the offer of a match, with a yes until something has come of it, or until told to stop.

    Return the match that has begun with this player; none where there is none, or that is in doubt.
    """
    rematches = client.rematches
    try:
        if not wants:
            await rematches.decline(match)
            return None
        await rematches.accept(match)
        coming = asyncio.create_task(rematches.outcome(match))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({coming, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not coming.done():
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)
            with suppress(RefusedError):  # it began, or was over, at that very moment
                await rematches.decline(match)
        last = await rematches.get(match)
    except SparrowError:
        return None
    return last.next_match if last.answers[client.profile.name] is RematchAnswer.ACCEPTED else None
