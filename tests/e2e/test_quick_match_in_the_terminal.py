"""`sparrow play quick`, as a person at a terminal and as a script at a pipe use it."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from libs.client.client import SparrowClient
from libs.runtime.config import REPOSITORY
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)
FREE = re.compile(r"^free: (.+)\n", re.MULTILINE)
SAID_WITHIN_S = 40.0


@dataclass
class Terminal:
    """A running `sparrow` on a pseudo terminal: what it says, and a keyboard."""

    process: asyncio.subprocess.Process
    descriptor: int
    said: str = ""
    _grown: asyncio.Event = field(default_factory=asyncio.Event)

    def type(self, line: str) -> None:
        """Type a line."""
        os.write(self.descriptor, f"{line}\n".encode())

    async def until(
        self, told: str | Callable[[str], bool], since: int = 0, within_s: float = SAID_WITHIN_S
    ) -> str:
        """Wait until it has said this, and return all that it has said since then."""
        async with asyncio.timeout(within_s):
            while not (told in self.said[since:] if isinstance(told, str) else told(self.said[since:])):
                self._grown.clear()
                await self._grown.wait()
        return self.said[since:]

    def hear(self) -> None:
        """Take what has arrived."""
        try:
            arrived = os.read(self.descriptor, 65_536).decode(errors="replace")
        except OSError:  # the program has ended
            asyncio.get_running_loop().remove_reader(self.descriptor)
            return
        self.said += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", arrived).replace("\r", "")
        self._grown.set()


@asynccontextmanager
async def terminal(server: Installation, *arguments: str) -> AsyncIterator[Terminal]:
    """Run the command line on a pseudo terminal of its own."""
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "libs.cli.main", *arguments),
        cwd=REPOSITORY,
        env={**os.environ, **server.environment(), "TERM": "xterm", "COLUMNS": "110"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = Terminal(process, ours)
    asyncio.get_running_loop().add_reader(ours, shown.hear)
    try:
        yield shown
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        asyncio.get_running_loop().remove_reader(ours)
        os.close(ours)


async def test_a_person_plays_a_quick_match_against_a_bot(sparrow_server: Installation) -> None:
    """Queue, countdown, faces, a touch, leaving, and the result of both, on a terminal."""
    async with terminal(
        sparrow_server, "play", "quick", "--bot", "--think", "300", "--profile", "ana"
    ) as shown:
        board = await shown.until(lambda said: FREE.search(said) is not None)
        shape = r"Waiting for an opponent.*Quick match against.*leave\.\n(3\n)?(2\n)?(1\n)?Go\."
        assert re.search(shape, board, re.DOTALL), board
        free = FREE.findall(board)[-1]
        assert "• " not in board[: board.index("\nGo.")]
        tile = re.findall(r" (\d+)", free)[0]
        shown.type(tile)
        await shown.until(f"({tile}) lifted")
        await shown.until(lambda said: re.search(r": \d+ tiles left · [1-9]", said) is not None)
        shown.type("q")
        end = await shown.until(lambda said: said.count("account points") == 2)
        await asyncio.wait_for(shown.process.wait(), SAID_WITHIN_S)

    assert "You left the match; your score stays." in end
    assert "Nobody plays any more." in end
    assert re.search(r"[12]\. You: \d+ · \d+ account points", end)
    assert shown.process.returncode == 0


async def test_a_script_may_stop_waiting(sparrow_server: Installation, client: SparrowClient) -> None:
    """The end of the input, or q, takes the ticket back: nobody is matched with who has gone."""
    done = await asyncio.to_thread(sparrow_server.sparrow, "play", "quick", "--profile", "ben", stdin="q\n")
    mine = await client.queue()
    left = await mine.cancel()

    assert done.returncode == 0, done.stdout + done.stderr
    assert "You wait no more." in done.stdout
    assert left.match is None
