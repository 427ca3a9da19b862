"""Where a table is shown: lines from the top down, and on a terminal a clock that runs above the last one."""

from __future__ import annotations

import sys

from rich.console import Console, RenderableType

_SAVE, _RESTORE = "\x1b7", "\x1b8"
_LINE_ABOVE = "\x1b[1A\r\x1b[2K"


class Screen:
    """Prints; while something is asked the cursor stands behind the question."""

    def __init__(self, out: Console, *, is_talk: bool | None = None) -> None:
        """Take where it is printed; on no terminal there is no clock, and a question ends its line."""
        self._out = out
        self._is_talk = out.is_terminal and sys.stdin.isatty() if is_talk is None else is_talk
        self._asks = False
        self.is_interrupted = False
        """Whether something was said below a question that has no answer yet."""

    @property
    def width(self) -> int:
        """Columns, as they are now."""
        return self._out.width

    def say(self, *lines: RenderableType) -> None:
        """Print below what stands there, a line each; a question that waits is left behind."""
        if self._asks:
            self._asks, self.is_interrupted = False, True
            self._out.print()
        for line in lines:
            self._out.print(line, soft_wrap=True)

    def ask(self, clock: str) -> None:
        """Print the clock and the question."""
        self.say(clock)
        self._out.print("> ", end="" if self._is_talk else "\n")
        self._asks, self.is_interrupted = self._is_talk, False

    def heard(self) -> None:
        """A line was typed: the cursor stands below the question."""
        self._asks = self.is_interrupted = False

    def tick(self, clock: str) -> None:
        """Show another clock above a question that waits; what is being typed stays."""
        if self._asks:
            with self._out.capture() as told:
                self._out.print(clock, end="")
            self._out.file.write(f"{_SAVE}{_LINE_ABOVE}{told.get()}{_RESTORE}")
            self._out.file.flush()
