"""`sparrow mcr play`, as a person at a terminal and as a program play it."""

from __future__ import annotations

import re
import signal

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


async def test_friends_sit_at_a_private_table_and_who_leaves_it_can_come_back(
    sparrow_server: Installation,
) -> None:
    """A code leads there; `q` and Ctrl-C leave to the AI, and what is told then leads back to the seat."""
    async with terminal(sparrow_server, "mcr", "play", "--profile", "eva", "--invite", "2") as eva:
        said = await eva.until(lambda told: re.search(r"Invitation code: \w{8} ", told) is not None)
        code = re.findall(r"Invitation code: (\w{8}) ", said)[0]
        async with terminal(sparrow_server, "mcr", "play", "--profile", "ida", "--code", code) as ida:
            await ida.until("You sit ")
            await eva.until("You sit ")
            ida.type("99")
            await ida.until("“99” is no choice now.")
            ida.type("q")
            told = await ida.until("takes the seat back.")
            await ida.process.wait()
        name = re.findall(r"--table (tables/\S+)", told)[0]
        await eva.until("leaves: the AI plays on")
        async with terminal(sparrow_server, "mcr", "play", "--profile", "ida", "--table", name) as ida:
            await ida.until("You return")
            ida.process.send_signal(signal.SIGINT)
            left = await ida.until("You left: the AI plays on.")
            code_of_exit = await ida.process.wait()
        heard = await eva.until(lambda told: len(re.findall("leaves: the AI plays on", told)) == 2)
        eva.type("q")
        await eva.process.wait()

    assert f"{name}, commitment " in heard
    assert re.search(r"^\w+ \(.+\) returns$", heard, re.MULTILINE)
    assert name in left
    assert (code_of_exit, eva.process.returncode) == (130, 0)


def test_a_program_plays_alone(sparrow_server: Installation) -> None:
    """`--auto` decides for the player, at a pipe as well."""
    done = sparrow_server.sparrow("mcr", "play", "--auto", "--profile", "otto", "--level", "easy")

    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr
    assert "All deals are played." in done.stdout
    assert "Traceback" not in done.stderr
