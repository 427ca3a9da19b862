"""The running call: its method and its deadline, known to whatever it calls in turn."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar

METHOD: ContextVar[str] = ContextVar("method")
"""Full name with slashes: "/sparrow.match.v1.MatchService/Touch"."""
DEADLINE: ContextVar[float | None] = ContextVar("deadline", default=None)
"""When the caller stops waiting, by the event loop's clock; None: it waits for ever."""


def remaining_s() -> float | None:
    """Return how many seconds the caller still waits, at least 0; None without a deadline."""
    deadline = DEADLINE.get()
    return None if deadline is None else max(0.0, deadline - asyncio.get_running_loop().time())
