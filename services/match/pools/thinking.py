"""Questions of the pool that take longer than the event loop may: shuffles, hints, deals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from libs.kernel import hint, native
from services.match.domain.pool.board import PoolBoard
from services.match.domain.pool.dealing import deal_pool, shuffle
from services.match.domain.pool.decide import Hinted, Laid, NeedsHint, NeedsShuffle
from services.match.domain.pool.terms import MATCHING, PAIRING, PoolDeal
from services.match.domain.pool.values import pair_value

T = TypeVar("T")

NODES_MAX: Final = 20_000
"""One hint may take so many nodes to find out which of the best pairs keeps the board solvable."""
PLAIN_NODES_MAX: Final = 200
"""Where the plain definition answers, a thousand times slower."""


class Runs(Protocol):
    """Work off the event loop."""

    async def __call__(self, work: Callable[..., T], /, *arguments: object) -> T:
        """Return what `work` returns."""
        ...


class Thinking:
    """Answers, each from its question alone."""

    def __init__(self, run: Runs) -> None:
        """Let `run` do the work."""
        self._run = run

    async def laid(self, asked: NeedsShuffle) -> Laid:
        """The shuffle that was asked for."""
        return Laid(asked, await self._run(shuffle, asked.board, asked.seed, asked.number))

    async def hinted(self, asked: NeedsHint) -> Hinted:
        """The pair to be named."""
        return Hinted(asked, await self._run(best_pair, asked.board))

    async def deal(self, seed: bytes, nonce: bytes) -> PoolDeal:
        """The deal of a seed."""
        return await self._run(deal_pool, seed, nonce)


def best_pair(board: PoolBoard) -> tuple[int, int] | None:
    """The available pair of the highest value, of equal ones one that keeps the board solvable."""
    nodes = NODES_MAX if native() else PLAIN_NODES_MAX
    return hint(board.layout, board.faces, board.present, MATCHING, PAIRING, nodes, pair_value)
