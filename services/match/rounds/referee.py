"""What a round asks of the solver, remembered, because seats begin on one board.

The kernel answers most questions in microseconds: those are asked at once, on the event loop, with few nodes.
What needs more is asked elsewhere, and so is everything where the plain definition stands in for the kernel.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol, TypeVar

import structlog

from libs.kernel import crucial, native, solve
from libs.rules.solitaire.levels import MATCHING, PAIRING
from libs.rules.solitaire.solver import Crucial, Solved, Undecided
from libs.rules.tiles import Face
from services.match.domain.partner import NeedsPartner, Partner
from services.match.domain.position import Position
from services.match.domain.rivals.terms import Judged

NATIVE: Final = "kernel/2"
PLAIN: Final = "python/1"
"""Who judged, as events tell it."""
NODES_MAX: Final = 50_000
"""Of one question to the kernel."""
NODES_AT_ONCE: Final = 40
"""Of one question that is asked on the event loop: well under a millisecond."""
PLAIN_NODES_MAX: Final = 2_000
"""Of one question to the plain definition; on boards of PLAIN_TILES_MAX the answers take some dozens."""
PLAIN_TILES_MAX: Final = 36
KEPT_MAX: Final = 2_000

T = TypeVar("T")
Key = tuple[str, tuple[Face, ...], int]

log = structlog.get_logger(__name__)


class Runs(Protocol):
    """Whatever runs plain work elsewhere and waits for its answer."""

    def __call__(self, work: Callable[..., T], *arguments: Any) -> Awaitable[T]:
        """Return what `work` returns."""
        ...


class Referee:
    """Answers about positions, each found once per process."""

    def __init__(self, run: Runs) -> None:
        """Let `run` do the searching."""
        self._run = run
        self._judged: OrderedDict[Key, asyncio.Future[Judged]] = OrderedDict()

    async def judge(self, position: Position) -> Judged:
        """Which pair of the position is crucial. Raises Refused when too much work is waiting."""
        return await asyncio.shield(self._asked(position))

    async def partner(self, asked: NeedsPartner) -> Partner:
        """The partner that a joker takes. Raises Refused when too much work is waiting."""
        return await self._run(choose_partner, asked.position, asked.first, asked.candidates)

    def foresee(self, position: Position) -> None:
        """Begin to judge a position that a pair is likely to be taken from."""
        if position.present:
            self._asked(position)

    def _asked(self, position: Position) -> asyncio.Future[Judged]:
        key = (position.layout.name, position.faces, position.present)
        asked = self._judged.get(key)
        if asked is None:
            asked = self._ask(position)
            asked.add_done_callback(lambda done: self._forget_failed(key, done))
            if len(self._judged) >= KEPT_MAX:
                self._judged.popitem(last=False)
            self._judged[key] = asked
        self._judged.move_to_end(key)
        return asked

    def _ask(self, position: Position) -> asyncio.Future[Judged]:
        if native():
            judged = judge_position(position, NODES_AT_ONCE)
            if not judged.undecided:
                answered = asyncio.get_running_loop().create_future()
                answered.set_result(judged)
                return answered
        return asyncio.ensure_future(self._run(judge_position, position, nodes_max()))

    def _forget_failed(self, key: Key, done: asyncio.Future[Judged]) -> None:
        if done.cancelled() or done.exception() is not None:
            log.warning("referee.failed", error=None if done.cancelled() else str(done.exception()))
            if self._judged.get(key) is done:
                del self._judged[key]


def tiles_max(configured: int) -> int:
    """How large the boards of rounds may be: the plain definition decides small ones while people play."""
    return configured if native() else min(configured, PLAIN_TILES_MAX)


def nodes_max() -> int:
    """How many nodes one question may take off the event loop."""
    return NODES_MAX if native() else PLAIN_NODES_MAX


def judge_position(position: Position, budget: int) -> Judged:
    """The verdict on a position within the node budget."""
    found = crucial(position.layout, position.faces, position.present, MATCHING, PAIRING, budget)
    return Judged(
        position.present,
        found.pair if isinstance(found, Crucial) else None,
        isinstance(found, Undecided),
        found.nodes,
        NATIVE if native() else PLAIN,
    )


def choose_partner(position: Position, first: int, candidates: tuple[int, ...]) -> Partner:
    """The lowest partner that leaves the board solvable, else the lowest."""
    for second in candidates:
        rest = position.present & ~(1 << first | 1 << second)
        found = solve(position.layout, position.faces, rest, MATCHING, PAIRING, nodes_max())
        if isinstance(found, Solved):
            return Partner(position.present, first, second)
    return Partner(position.present, first, candidates[0])
