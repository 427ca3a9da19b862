"""Waiting on the terminal, in a queue or in a private game, until others are there or `q` is typed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape

from libs.cli.farewell import taken_back
from libs.cli.play.lines import TypedLines
from libs.client.client import SparrowClient
from libs.client.errors import RefusedError
from libs.client.tickets import QueueKind, Waiting


@dataclass(frozen=True, slots=True)
class Room:
    """A private game: that of a code, or a new one where the code is empty."""

    code: str = ""
    seats: int = 0
    stake: int = 0
    """Of a new game what it is for, of a code the most that is paid; 0: what the queue plays for, or none."""


async def find(
    client: SparrowClient, out: Console, lines: TypedLines, kind: QueueKind, room: Room | None = None
) -> str | None:
    """Wait for others and return the match; none where the player stopped waiting."""
    try:
        waiting = await _open(client, kind, room)
    except RefusedError as refused:
        if refused.reason == "STAKE_HIGHER":
            stake = refused.metadata["stake"]
            out.print(f"This game is for {stake} chips: join with [bold]--stake {stake}[/] if you want.")
            return None
        if refused.reason != "ALREADY_SEATED":
            raise
        out.print("You sit in a match already: on with it.")
        return refused.metadata["match"]
    ticket = waiting.ticket
    if room is None:
        out.print("Waiting for others: ten seconds from the second on. Type [bold]q[/] to stop waiting.")
    else:
        code, link = escape(ticket.invitation_code), escape(ticket.invitation_link)
        out.print(f"Invitation code: [bold]{code}[/] ([dim]{link}[/]), {ticket.stake} chips a seat.")
        out.print(f"It begins with {ticket.seats} players. Type [bold]q[/] to stop waiting.")
    async with taken_back(waiting.cancel):
        return await _wait(waiting, out, lines)


async def _open(client: SparrowClient, kind: QueueKind, room: Room | None) -> Waiting:
    if room is None:
        return await client.queue(kind)
    if room.code:
        return await client.private_games.join(room.code, stake_max=room.stake)
    return await client.private_games.create(kind, seats=room.seats, stake=room.stake)


async def _wait(waiting: Waiting, out: Console, lines: TypedLines) -> str | None:
    found = asyncio.create_task(waiting.match())
    while not found.done():
        reading = asyncio.create_task(lines.next())
        await asyncio.wait([reading, found], return_when=asyncio.FIRST_COMPLETED)
        if not reading.done():
            reading.cancel()
            break
        line = await reading
        if line is None or line.strip().lower() == "q":
            found.cancel()
            await asyncio.gather(found, return_exceptions=True)
            return await _stop(waiting, out)
    return await found


async def _stop(waiting: Waiting, out: Console) -> str | None:
    """Take the ticket back; where that is too late, the match that was found."""
    try:
        await waiting.cancel()
    except RefusedError as refused:
        if refused.reason != "TICKET_MATCHED":
            raise
        return refused.metadata["match"]
    out.print("You wait no more.")
    return None
