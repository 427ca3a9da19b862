"""How many may wait for costly reads: few of each player, and not many altogether."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from libs.runtime.caller import CALLER, Player
from libs.runtime.errors import Refused

OF_A_PLAYER_MAX: Final = 2
WAITING_MAX: Final = 32
RETRY_AFTER_MS: Final = 1_000


class Admission:
    """Counts the reads that run or wait, by the player who asks; operators and services count in the sum."""

    def __init__(self) -> None:
        """Begin with nobody waiting."""
        self._waiting = 0
        self._of_player: Counter[Player] = Counter()

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """Count one more for as long as it takes. Raises Refused RATE_LIMIT when that is too many."""
        caller = CALLER.get(None)
        player = caller if isinstance(caller, Player) else None
        is_one_too_many = player is not None and self._of_player[player] >= OF_A_PLAYER_MAX
        if is_one_too_many or self._waiting >= WAITING_MAX:
            message = "too many such reads are waiting: call again"
            raise Refused("RATE_LIMIT", message, retry_after_ms=RETRY_AFTER_MS)
        self._waiting += 1
        if player is not None:
            self._of_player[player] += 1
        try:
            yield
        finally:
            self._waiting -= 1
            if player is not None:
                self._of_player[player] -= 1
                if not self._of_player[player]:
                    del self._of_player[player]
