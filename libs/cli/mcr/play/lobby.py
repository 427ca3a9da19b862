"""How a person on a terminal comes to a table: at once against AI players, by the queue, or by invitation."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from rich.console import Console
from rich.markup import escape

from libs.cli.farewell import taken_back
from libs.cli.mcr.play.table import Lines
from libs.client.client import SparrowClient
from libs.client.deal_views import AiLevel
from libs.client.errors import RefusedError
from libs.client.mcr_lobby import Lobby, TableRematch, TableWaiting
from libs.client.rematches import RematchAnswer, RematchState

T = TypeVar("T")
DEALS_WITH_OTHERS: Final = frozenset({1, 4, 8, 16})
"""How many deals the queue and private tables know."""
AGAIN_KEY: Final = "r"


@dataclass(frozen=True)
class Wish:
    """What table is wanted."""

    deals: int = 1
    level: AiLevel = AiLevel.MIDDLE
    others: bool = False
    """Whether to wait for other persons."""
    invites: int = 0
    """How many persons a private table is opened for; 0: none is."""
    code: str = ""
    """Of the private table that is joined."""
    until_found: bool = False
    """Whether to wait on where the input has ended, since nobody types anyway."""


async def find_table(client: SparrowClient, out: Console, lines: Lines, wish: Wish) -> str | None:
    """The table where the player sits in the end; none where the player stopped waiting."""
    try:
        if not (wish.others or wish.invites or wish.code):
            return (await client.tables.open_table(wish.deals, wish.level)).name
        waiting = await _wait_for(client.lobby, wish)
    except RefusedError as refused:
        if refused.reason != "ALREADY_SEATED":
            raise
        out.print("You sit at a table already: on with it.")
        return refused.metadata["name"]
    ticket = waiting.ticket
    if ticket.invitation_code:
        code, link = escape(ticket.invitation_code), escape(ticket.invitation_link)
        out.print(f"Invitation code: [bold]{code}[/] ([dim]{link}[/]).", soft_wrap=True)
        out.print(f"It begins with {ticket.persons} persons. Type [bold]q[/] to stop waiting.")
    else:
        out.print("Waiting for others; AI players take the seats that stay empty. [bold]q[/] stops waiting.")
    async with taken_back(waiting.cancel):
        return await _until_seated(waiting, out, lines, wish)


async def again(lobby: Lobby, out: Console, lines: Lines, table: str, own: str) -> str | None:
    """Ask for another table with the same players; its name, where there is one and `own` sits there.

    The end of the input says no.
    """
    try:
        offer = await lobby.rematch(table)
    except RefusedError:
        return None
    coming = asyncio.create_task(_outcome(lobby, table))
    try:
        wants = await _answer(out, lines, coming) if offer.state is RematchState.OPEN else None
        if wants is False:
            await lobby.decline(table)
            return None
        if wants:
            await lobby.accept(table)
        last = await coming
    except RefusedError as refused:
        out.print(f"[yellow]{escape(refused.text)}[/]")
        return None
    finally:
        coming.cancel()
    if last.next_table is None or last.answers.get(own) is not RematchAnswer.ACCEPTED:
        out.print("There is no other table: too few wanted one in time.")
        return None
    return last.next_table


async def _answer(out: Console, lines: Lines, coming: asyncio.Task[TableRematch]) -> bool | None:
    """Yes or no; none where something has come of the offer before.

    A line that was meant for the table is no answer: then the question is put again.
    """
    while not coming.done():
        out.print(f"Type [bold]{AGAIN_KEY}[/] to play again, [bold]q[/] to end here.")
        line = await _first(lines.next(), coming)
        if coming.done():
            return None
        if line is None or line.strip().lower() in {"", "q"}:
            return False
        if line.strip().lower() == AGAIN_KEY:
            return True
    return None


async def _wait_for(lobby: Lobby, wish: Wish) -> TableWaiting:
    if wish.code:
        return await lobby.join(wish.code)
    if wish.invites:
        return await lobby.invite(wish.invites, wish.deals, wish.level)
    return await lobby.queue(wish.deals, wish.level)


async def _until_seated(waiting: TableWaiting, out: Console, lines: Lines, wish: Wish) -> str | None:
    found = asyncio.create_task(waiting.table())
    try:
        while not found.done():
            line = await _first(lines.next(), found)
            if line is None and wish.until_found:
                return await found
            if not found.done() and (line is None or line.strip().lower() == "q"):
                await waiting.cancel()
                out.print("You wait no more.")
                return None
        return await found
    except RefusedError as refused:
        if refused.reason != "TICKET_MATCHED":
            raise
        return await found
    finally:
        found.cancel()


async def _outcome(lobby: Lobby, table: str) -> TableRematch:
    last = await lobby.rematch(table)
    async for offer in lobby.follow_rematch(table):
        last = offer
    return last


async def _first(reading: Coroutine[Any, Any, T], other: asyncio.Task[Any]) -> T | None:
    """What is read, unless the other is done first."""
    task = asyncio.create_task(reading)
    await asyncio.wait([task, other], return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        return await task
    task.cancel()
    return None
