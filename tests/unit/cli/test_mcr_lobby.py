"""How a person on a terminal comes to a table of MCR, and to another one after it."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import cast

import grpc
import pytest
from rich.console import Console

from libs.cli.mcr.play.lobby import Wish, again, find_table
from libs.client.client import SparrowClient
from libs.client.deal_views import AiLevel
from libs.client.errors import RefusedError
from libs.client.mcr_lobby import Lobby, TableRematch, TableTicket, TableWaiting
from libs.client.rematches import RematchAnswer, RematchState
from libs.client.tickets import TicketState

AT = datetime(2026, 11, 30, tzinfo=UTC)
OFFER = TableRematch("tables/1", RematchState.OPEN, AT, {}, 1, AiLevel.EASY, None)
BEGUN = replace(
    OFFER, state=RematchState.BEGUN, answers={"players/me": RematchAnswer.ACCEPTED}, next_table="tables/2"
)
TICKET = TableTicket(
    "tickets/1", TicketState.WAITING, 1, AiLevel.EASY, AT, AT, None, None, "ABCDEFGH", "link", 2
)


def refusal(reason: str, **metadata: str) -> RefusedError:
    """What the server says no with."""
    return RefusedError(reason, grpc.StatusCode.FAILED_PRECONDITION, reason, metadata)


class ScriptedWaiting(TableWaiting):
    """A ticket that a test lets find a table."""

    def __init__(self) -> None:
        self.ticket = TICKET
        self.found: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.too_late = False
        self.taken_back = 0

    async def cancel(self) -> TableTicket:
        """Stop waiting, unless it is too late."""
        self.taken_back += 1
        if self.too_late:
            if not self.found.done():
                self.found.set_result("tables/9")
            raise refusal("TICKET_MATCHED", table="tables/9")
        return self.ticket

    async def table(self) -> str:
        """What the test lets it find."""
        return await self.found


class ScriptedLobby(Lobby):
    """A lobby with one ticket and one offer."""

    def __init__(self) -> None:
        self.asked = ScriptedWaiting()
        self.said: list[str] = []
        self.came: asyncio.Queue[TableRematch] = asyncio.Queue()
        self.is_offered = True
        self.seated_at = ""

    async def queue(self, deal_count: int = 1, ai_level: AiLevel = AiLevel.MIDDLE) -> TableWaiting:
        """The ticket, unless the player sits somewhere."""
        self.said.append(f"queue {deal_count} {ai_level}")
        if self.seated_at:
            raise refusal("ALREADY_SEATED", name=self.seated_at)
        return self.asked

    async def invite(
        self, persons: int = 4, deal_count: int = 1, ai_level: AiLevel = AiLevel.MIDDLE
    ) -> TableWaiting:
        """The ticket."""
        self.said.append(f"invite {persons} {deal_count} {ai_level}")
        return self.asked

    async def join(self, invitation: str) -> TableWaiting:
        """The ticket."""
        self.said.append(f"join {invitation}")
        return self.asked

    async def rematch(self, table: str) -> TableRematch:
        """The offer, where there is one."""
        if not self.is_offered:
            raise refusal("NOT_FOUND")
        return OFFER

    async def accept(self, table: str) -> TableRematch:
        """Yes."""
        self.said.append("yes")
        self.came.put_nowait(BEGUN)
        return OFFER

    async def decline(self, table: str) -> TableRematch:
        """No."""
        self.said.append("no")
        return OFFER

    async def follow_rematch(self, table: str) -> AsyncGenerator[TableRematch, None]:
        """What comes of it."""
        while (offer := await self.came.get()).state is RematchState.OPEN:
            yield offer
        yield offer


@dataclass
class Keys:
    """What is typed, at once; then nothing, or the end of the input."""

    typed: list[str | None] = field(default_factory=list)

    async def next(self) -> str | None:
        """The next line."""
        if self.typed:
            return self.typed.pop(0)
        never: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        return await never


@dataclass
class Signed:
    """As much of a client as is asked."""

    lobby: ScriptedLobby


async def found(lobby: ScriptedLobby, wish: Wish, keys: Keys) -> tuple[str | None, str]:
    """The table, and what was said."""
    file = io.StringIO()
    out = Console(file=file, width=110)
    return await find_table(cast("SparrowClient", Signed(lobby)), out, keys, wish), file.getvalue()


@pytest.mark.parametrize(
    ("wish", "asked"),
    [
        (Wish(4, AiLevel.EASY, others=True), "queue 4 easy"),
        (Wish(8, AiLevel.STRONG, invites=3), "invite 3 8 strong"),
        (Wish(code="ABCDEFGH"), "join ABCDEFGH"),
    ],
)
async def test_the_table_that_is_found_is_the_one_to_play_at(wish: Wish, asked: str) -> None:
    """By the queue, by inviting, by a code; other keys than q change nothing."""
    lobby = ScriptedLobby()
    asyncio.get_running_loop().call_later(0.02, lobby.asked.found.set_result, "tables/7")
    table, said = await found(lobby, wish, Keys(["x"]))

    assert (table, lobby.said) == ("tables/7", [asked])
    assert "Invitation code: ABCDEFGH" in said


@pytest.mark.parametrize("key", ["q", None])
async def test_who_stops_waiting_sits_nowhere(key: str | None) -> None:
    """Unless a table was found at that very moment."""
    lobby, late = ScriptedLobby(), ScriptedLobby()
    late.asked.too_late = True

    assert (await found(lobby, Wish(others=True), Keys([key])))[0] is None
    assert (await found(late, Wish(others=True), Keys([key])))[0] == "tables/9"


@pytest.mark.parametrize("too_late", [False, True])
async def test_who_is_gone_all_of_a_sudden_waits_no_more(too_late: bool) -> None:
    """Ctrl-C takes the ticket back; where that is too late nothing else goes wrong."""
    lobby = ScriptedLobby()
    lobby.asked.too_late = too_late
    waiting = asyncio.create_task(found(lobby, Wish(others=True), Keys()))
    await asyncio.sleep(0.02)
    waiting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert lobby.asked.taken_back == 1


async def test_a_program_waits_on_where_there_is_nothing_to_read() -> None:
    """The end of the input stops a person's waiting, not that of a player who decides alone."""
    lobby = ScriptedLobby()
    asyncio.get_running_loop().call_later(0.02, lobby.asked.found.set_result, "tables/7")
    table, said = await found(lobby, Wish(invites=2, until_found=True), Keys([None]))

    assert table == "tables/7"
    assert "You wait no more." not in said


async def test_who_sits_at_a_table_goes_on_there() -> None:
    """Nobody sits twice."""
    lobby = ScriptedLobby()
    lobby.seated_at = "tables/5"
    table, said = await found(lobby, Wish(others=True), Keys())

    assert table == "tables/5"
    assert "You sit at a table already" in said


@pytest.mark.parametrize(
    ("typed", "table", "said"),
    [(["7", "R"], "tables/2", ["yes"]), (["q"], None, ["no"]), ([""], None, ["no"]), ([None], None, ["no"])],
)
async def test_another_table_follows_where_it_is_wanted(
    typed: list[str | None], table: str | None, said: list[str]
) -> None:
    """`r` says yes; `q`, an empty line and the end of the input no; other lines are asked again."""
    lobby = ScriptedLobby()
    out = Console(file=io.StringIO())

    assert await again(lobby, out, Keys(typed), "tables/1", "players/me") == table
    assert lobby.said == said


async def test_an_offer_may_be_over_or_absent() -> None:
    """Too few wanted it in time; or the table has none."""
    lobby, absent = ScriptedLobby(), ScriptedLobby()
    lobby.came.put_nowait(replace(OFFER, state=RematchState.EXPIRED))
    absent.is_offered = False
    out = Console(file=io.StringIO())

    assert await again(lobby, out, Keys(), "tables/1", "players/me") is None
    assert await again(absent, out, Keys(), "tables/1", "players/me") is None
    assert lobby.said == absent.said == []
