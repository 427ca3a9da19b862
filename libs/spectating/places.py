"""How many may watch: of one match and of all, in each process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from libs.runtime.errors import Refused

RETRY_AFTER_MS: Final = 5_000


class Places:
    """The places for spectators of one process."""

    def __init__(self, per_match: int, total: int) -> None:
        """Let so many watch one match, and so many watch at all."""
        self._per_match = per_match
        self._total = total
        self._taken: Counter[UUID] = Counter()

    @property
    def taken(self) -> int:
        """How many watch."""
        return self._taken.total()

    @contextmanager
    def hold(self, match_id: UUID) -> Iterator[None]:
        """Hold a place. Raises Refused SPECTATOR_LIMIT when there is none, saying which limit it was."""
        if self._taken[match_id] >= self._per_match:
            raise _full("match", self._per_match, "this match")
        if self._taken.total() >= self._total:
            raise _full("process", self._total, "matches on this server")
        self._taken[match_id] += 1
        try:
            yield
        finally:
            self._taken[match_id] -= 1
            if not self._taken[match_id]:
                del self._taken[match_id]


def _full(limit: str, at_most: int, what: str) -> Refused:
    return Refused(
        "SPECTATOR_LIMIT",
        f"{at_most} watch {what} already",
        {"limit": limit, "at_most": str(at_most)},
        retry_after_ms=RETRY_AFTER_MS,
    )
