"""How many streams a player, and a process, may hold open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from libs.runtime.caller import Caller, Player, caller_id
from libs.runtime.errors import Refused

RETRY_AFTER_MS = 1_000


class StreamLimits:
    """Counts the open streams of one process."""

    def __init__(self, per_player: int, total: int) -> None:
        self._per_player = per_player
        self._total = total
        self._open: Counter[UUID] = Counter()

    @property
    def open_count(self) -> int:
        """How many streams are open."""
        return self._open.total()

    @contextmanager
    def hold(self, caller: Caller) -> Iterator[None]:
        """Hold one stream for the caller. Raises Refused STREAM_LIMIT when there are too many."""
        who = caller_id(caller)
        if isinstance(caller, Player) and self._open[who] >= self._per_player:
            raise Refused(
                "STREAM_LIMIT", f"at most {self._per_player} streams at once", retry_after_ms=RETRY_AFTER_MS
            )
        if self._open.total() >= self._total:
            raise Refused("STREAM_LIMIT", "this server holds no more streams", retry_after_ms=RETRY_AFTER_MS)
        self._open[who] += 1
        try:
            yield
        finally:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]
