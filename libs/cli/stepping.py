"""Going through the frames of something that was played: by keys, or by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from rich.console import Console

HELP: Final = "Enter: on. [bold]b[/] back, a number: to that step, [bold]q[/] quit."
PAUSE_MAX_S: Final = 5.0
"""Nobody waits longer between two frames, whatever happened in between."""


class Lines(Protocol):
    """Where what is typed comes from."""

    async def next(self) -> str | None:
        """Return the next line; none at the end of the input."""
        ...


@dataclass(frozen=True)
class Steps:
    """Frames, each with when it was, in milliseconds, and how they are shown."""

    at_ms: Sequence[int]
    show: Callable[[int], None]
    end: Callable[[], None]
    """What is shown behind the last frame."""

    async def by_keys(self, lines: Lines, out: Console) -> None:
        """Go where what is typed leads, until the end is passed, "q", or the end of the input."""
        out.print(HELP)
        at = 0
        while 0 <= at < len(self.at_ms):
            self.show(at)
            line = await lines.next()
            match "q" if line is None else line.strip().lower():
                case "q":
                    return
                case "b":
                    at = max(0, at - 1)
                case typed if typed.isdecimal():
                    at = min(int(typed[:6]), len(self.at_ms) - 1)
                case "":
                    at += 1
                case _:
                    out.print(HELP)
        self.end()

    async def by_itself(
        self, speed: float, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        """Go through all frames, `speed` times as fast as it was played."""
        last_ms = 0
        for number, at_ms in enumerate(self.at_ms):
            await sleep(min(PAUSE_MAX_S, max(0, at_ms - last_ms) / 1_000 / speed))
            last_ms = at_ms
            self.show(number)
        self.end()
