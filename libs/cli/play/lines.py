"""Lines that are typed or come through a pipe, read without making the event loop wait."""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import suppress

_CHUNK_BYTES = 65_536


class TypedLines:
    """Reads a file descriptor in a thread of its own; Ctrl-C ends the program in the middle of a line."""

    def __init__(self, descriptor: int = 0) -> None:
        """Begin to read. Call it where an event loop runs."""
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        threading.Thread(target=self._pump, name="typed lines", daemon=True).start()

    async def next(self) -> str | None:
        """Return the next line without its end; none at the end of the input, now and ever after."""
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)
        return line

    def _pump(self) -> None:
        # Not sys.stdin: a thread that waits inside its lock cannot be left behind when the program ends.
        unfinished = b""
        while chunk := os.read(self._descriptor, _CHUNK_BYTES):
            *lines, unfinished = (unfinished + chunk).split(b"\n")
            for line in lines:
                self._put(line.decode(errors="replace"))
        if unfinished:
            self._put(unfinished.decode(errors="replace"))
        self._put(None)

    def _put(self, line: str | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody reads any more
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
