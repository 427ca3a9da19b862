"""What is asked at the end of a match in the terminal, and what an answer leads to."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import grpc
from rich.console import Console

from libs.cli.play.again import Again
from libs.client.errors import RefusedError
from libs.client.rematches import Rematch, RematchAnswer, RematchState
from libs.client.tickets import QueueKind

ME, WREN = "players/me", "players/wren"
OFFER = Rematch(
    match="matches/1",
    kind=QueueKind.POOL,
    state=RematchState.OPEN,
    expire_time=datetime(2026, 11, 30, tzinfo=UTC),
    answers={ME: RematchAnswer.NONE, WREN: RematchAnswer.ACCEPTED},
    stake=60,
    next_match=None,
)


@dataclass
class Offers:
    """An offer that the other player has accepted."""

    refusal: str = ""
    said: list[str] = field(default_factory=list)
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    comes_of_it: Rematch = OFFER

    async def get(self, _match: str) -> Rematch:
        """The offer."""
        return OFFER

    async def accept(self, _match: str) -> None:
        """Yes."""
        self._answer("yes")
        answers = {ME: RematchAnswer.ACCEPTED, WREN: RematchAnswer.ACCEPTED}
        self.comes_of_it = replace(OFFER, state=RematchState.BEGUN, answers=answers, next_match="matches/2")

    async def decline(self, _match: str) -> None:
        """No."""
        self._answer("no")

    async def follow(self, _match: str) -> AsyncIterator[Rematch]:
        """Now, and what has come of it."""
        yield OFFER
        await self.answered.wait()
        yield self.comes_of_it

    def _answer(self, said: str) -> None:
        self.said.append(said)
        self.answered.set()
        if self.refusal:
            raise RefusedError(self.refusal, grpc.StatusCode.FAILED_PRECONDITION, "in the way")


class Typed:
    """Lines that are typed, and then nothing, or the end of the input."""

    def __init__(self, *lines: str | None) -> None:
        """Say what is typed."""
        self._lines = list(lines)

    async def next(self) -> str | None:
        """The next line."""
        if not self._lines:
            await asyncio.Event().wait()
        return self._lines.pop(0)


async def asked(offers: Offers, *lines: str | None) -> tuple[str | None, str]:
    """What the answer led to, and what was shown."""
    shown = io.StringIO()
    client: Any = SimpleNamespace(rematches=offers, profile=SimpleNamespace(name=ME))
    typed: Any = Typed(*lines)
    async with asyncio.timeout(10):
        led_to = await Again(client, Console(file=shown, width=200), typed, {WREN: "Wren"}).ask("matches/1")
    return led_to, shown.getvalue()


async def test_r_leads_to_the_next_match_when_the_other_wants_it_too() -> None:
    """What the other said is told, and the stake."""
    led_to, shown = await asked(Offers(), "R")
    assert led_to == "matches/2"
    assert "Type r for a rematch for 60 chips within 30 s, q to end here." in shown
    assert "Wren wants a rematch." in shown
    assert "A rematch." in shown


async def test_a_line_that_was_meant_for_the_board_is_no_answer() -> None:
    """The question is put again."""
    offers = Offers()
    led_to, shown = await asked(offers, "12 40", "r")
    assert (led_to, offers.said) == ("matches/2", ["yes"])
    assert shown.count("Type r for a rematch") == 2


async def test_q_an_empty_line_and_the_end_of_the_input_say_no() -> None:
    """Nothing is waited for."""
    for line in ("q", "", None):
        offers = Offers()
        assert (await asked(offers, line))[0] is None
        assert offers.said == ["no"]


async def test_what_comes_of_the_offer_ends_the_question() -> None:
    """Nobody has to type anything."""
    offers = Offers(comes_of_it=replace(OFFER, state=RematchState.EXPIRED))
    offers.answered.set()
    led_to, shown = await asked(offers)
    assert led_to is None
    assert "too few wanted one in time" in shown


async def test_a_yes_that_is_refused_is_told_and_ends_the_question() -> None:
    """As for whoever waits in a queue on another device."""
    led_to, shown = await asked(Offers(refusal="ALREADY_QUEUED"), "r")
    assert led_to is None
    assert "in the way" in shown
