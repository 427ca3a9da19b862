"""`sparrow mcr play`, as a person at a terminal and as a program play it."""

from __future__ import annotations

import asyncio
import re

import pytest

from tests.e2e.test_quick_match_in_the_terminal import Terminal, terminal
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)
DISCARDS = re.compile(r"^  (\d+)-(\d+)  discard that tile$", re.MULTILINE)
OTHERS = re.compile(
    r"^  ([a-z]\d*) +(win|pass|chow|pung|kong|concealed kong|add to the pung)\b", re.MULTILINE
)
ASKED = re.compile(r"\d+ s left\n> ")
TILE = r"(?:[1-9][mps]|[ESWNCFP] |Fl[1-4]|Se[1-4])"
PICTURE = re.compile(
    r"Deal 1 of 1 · East round · wall \d+ · \w+ is (?:on turn|to discard)\n"
    rf"(?:(?:▶ |  )(?:East |South|West |North) .*\n(?: +(?:▌{TILE})+ ?\n)*){{4}}\n"
    rf"(?:▌{TILE} *){{1,14}}\n(?: +\d+)+ *\n"
)


async def play_to_the_end(shown: Terminal) -> str:
    """Choose the first of the choices, and the last tile, whenever something is asked."""
    read = 0
    while True:
        text = await shown.until(
            lambda told: ASKED.search(told) is not None or "All deals are played." in told, read, within_s=60
        )
        asked = ASKED.search(text)
        if asked is None:
            return shown.said
        read += asked.end()
        numbers, others = DISCARDS.findall(text), OTHERS.findall(text)
        assert numbers or others, text
        shown.type(others[0][0] if others else numbers[-1][1])


async def test_a_person_plays_a_deal_to_its_end(sparrow_server: Installation) -> None:
    """The table, the own hand with its numbers, what others do, claims, how it ended; and begins another."""
    async with terminal(sparrow_server, "mcr", "play", "--profile", "mei", "--lang", "zh") as shown:
        told = await play_to_the_end(shown)
        await shown.until("to play again")
        shown.type("r")
        await shown.until(lambda said: ASKED.search(said) is not None, since=len(told))
        shown.type("q")
        await shown.process.wait()

    assert shown.process.returncode == 0
    assert PICTURE.search(told), told[:3_000]
    assert re.search(rf"^(East|South|West|North) discards ▌{TILE}", told, re.MULTILINE)
    assert re.search(rf"^You (discard|claim a \w+:) ▌{TILE}", told, re.MULTILINE)
    assert re.search(r"^Nobody wins|wins? \d+ points", told, re.MULTILINE)
    assert "is no choice now" not in told
    assert re.search(r"tables/[0-9a-f-]{36}", told)


async def test_who_leaves_a_table_can_take_the_seat_back(sparrow_server: Installation) -> None:
    """`q` leaves to the AI, and tells how to come back; what is no choice is told with the choices."""
    async with terminal(sparrow_server, "mcr", "play", "--profile", "lin", "--deals", "2") as shown:
        await shown.until(lambda said: ASKED.search(said) is not None)
        shown.type("99")
        await shown.until("“99” is no choice now.")
        shown.type("q")
        told = await shown.until("takes the seat back.")
        await shown.process.wait()
    name = re.findall(r"--table (tables/\S+)", told)[0]
    async with terminal(sparrow_server, "mcr", "play", "--profile", "lin", "--table", name) as shown:
        await shown.until(lambda said: ASKED.search(said) is not None or "You return" in said)
        shown.process.send_signal(2)
        left = await shown.until("You left: the AI plays on.")
        code = await shown.process.wait()

    assert name in left
    assert code == 130


async def test_two_friends_sit_at_a_private_table(sparrow_server: Installation) -> None:
    """The code that the first is told leads the second there; each hears the other by name."""
    async with terminal(sparrow_server, "mcr", "play", "--profile", "eva", "--invite", "2") as eva:
        said = await eva.until(lambda told: re.search(r"Invitation code: \w{8} ", told) is not None)
        code = re.findall(r"Invitation code: (\w{8}) ", said)[0]
        async with terminal(sparrow_server, "mcr", "play", "--profile", "ida", "--code", code) as ida:
            first = asyncio.ensure_future(eva.until(lambda told: ASKED.search(told) is not None))
            second = asyncio.ensure_future(ida.until(lambda told: ASKED.search(told) is not None))
            await asyncio.wait([first, second], return_when=asyncio.FIRST_COMPLETED)
            for waiting in (first, second):
                waiting.cancel()
            eva.type("q")
            ida.type("q")
            await asyncio.gather(eva.process.wait(), ida.process.wait())

    assert re.findall(r"tables/\S{36}", eva.said)[0] == re.findall(r"tables/\S{36}", ida.said)[0]
    assert "You left: the AI plays on." in eva.said


def test_a_program_plays_alone(sparrow_server: Installation) -> None:
    """`--auto` decides for the player, at a pipe as well."""
    done = sparrow_server.sparrow("mcr", "play", "--auto", "--profile", "otto", "--level", "easy")

    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr
    assert "All deals are played." in done.stdout
    assert "Traceback" not in done.stderr
