"""Face-blind play: which pairs of places clear a position when any two tiles may go together.

Faces whose match groups are all even can be arranged over the places so that the position is solvable
exactly when a face-blind line of play clears it: the pairs of such a line take matching faces, and the
certificate of a solvable arrangement is such a line.

Under `lift` a line always exists: of tiles that are left at least one is free, so where only one is, lifting
it frees another. Under `both_free` play gets stuck exactly where a single tile is
free, and the question takes a search. A free tile that hinders no blocked tile is *spare*: when it goes
makes no difference to anything, so all that counts is how many spares there are. The other free tiles are
*movers*. A line that touches a spare while two movers are free can be changed, by swapping that spare with
the second mover, into one that takes both movers now: removing tiles never makes a free tile unfree. So two
movers go wherever there are two, and a single one goes with a spare.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final

from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import Pairing, free_mask, free_mask_after
from libs.rules.solitaire.certificate import Certificate
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.moves import freed_by_lifting
from libs.rules.solitaire.prng import Prng

RANDOM_LINES: Final = 8
"""Uniformly random plays before the search: they clear almost every position that can be cleared."""
NODE_BUDGET: Final = 20_000
"""Positions that the search may look at."""


@dataclass(frozen=True)
class BlindLine:
    """Pairs of places that clear the position."""

    line: Certificate


@dataclass(frozen=True)
class NoBlindLine:
    """Proved: no arrangement of any faces is solvable."""

    nodes: int


@dataclass(frozen=True)
class BlindUndecided:
    """The node budget ran out before an answer was certain."""

    nodes: int


def find_blind_line(
    layout: Layout, present: int, pairing: Pairing, prng: Prng, node_budget: int = NODE_BUDGET
) -> BlindLine | NoBlindLine | BlindUndecided:
    """A line of play that clears an even number of places, or the proof that there is none."""
    assert present.bit_count() % 2 == 0, "tiles leave the board in pairs"
    for _ in range(RANDOM_LINES):
        line = random_line(layout, present, pairing, prng)
        if line is not None:
            return BlindLine(line)
    assert pairing is Pairing.BOTH_FREE, "under lift every play ends with an empty board"
    search = _Search(layout, present, prng, node_budget)
    try:
        found = search.line_from(present, free_mask(layout, present))
    except _OutOfNodesError:
        return BlindUndecided(node_budget)
    return NoBlindLine(node_budget - search.nodes_left) if found is None else BlindLine(tuple(found))


def random_line(layout: Layout, present: int, pairing: Pairing, prng: Prng) -> Certificate | None:
    """One random play, each available pair of places equally likely; None where it got stuck."""
    free = free_mask(layout, present)
    line: list[tuple[int, int]] = []
    while present:
        pairs = blind_pairs(layout, present, free, pairing)
        if not pairs:
            return None
        first, second = pairs[prng.below(len(pairs))]
        line.append((first, second))
        gone = 1 << first | 1 << second
        present &= ~gone
        free = free_mask_after(layout, present, free, gone)
    return tuple(line)


def blind_pairs(layout: Layout, present: int, free: int, pairing: Pairing) -> list[tuple[int, int]]:
    """The places of two tiles that could go now if their faces matched; `free` is the set of free tiles."""
    pairs = list(combinations(bits(free), 2))
    if pairing is Pairing.LIFT:
        pairs += [(t, u) for t in bits(free) for u in bits(freed_by_lifting(layout, present, free, t))]
    return pairs


class _OutOfNodesError(Exception):
    """The node budget is used up."""


class _Search:
    """All lines of movers, as described above; what is proved about a position is kept."""

    def __init__(self, layout: Layout, present: int, prng: Prng, node_budget: int) -> None:
        self.layout, self.nodes_left = layout, node_budget
        self.tail = _tails(layout, present)
        order = prng.shuffled(range(layout.size))
        self.rank = {tile: (-self.tail[tile], order[tile]) for tile in range(layout.size)}
        self.spares_not_enough: dict[int, int] = {}
        """For the tiles that are no spares: so many spares do not clear the position."""

    def line_from(self, present: int, free: int) -> list[tuple[int, int]] | None:
        """Pairs that clear the position, or None: there are none. Raises _OutOfNodesError."""
        blocked = present & ~free
        movers = [tile for tile in bits(free) if self.layout.masks.hinders[tile] & blocked]
        spares = free
        for tile in movers:
            spares ^= 1 << tile
        if not movers:
            tiles = bits(spares)
            return list(zip(tiles, tiles, strict=True))
        if self.spares_not_enough.get(present & ~spares, -1) >= spares.bit_count():
            return None
        if not self.nodes_left:
            raise _OutOfNodesError
        self.nodes_left -= 1
        if self._has_time(present, free):
            movers.sort(key=self.rank.__getitem__)
            for pair in (
                combinations(movers, 2) if len(movers) > 1 else zip(movers, bits(spares), strict=False)
            ):
                gone = 1 << pair[0] | 1 << pair[1]
                rest = present & ~gone
                line = self.line_from(rest, free_mask_after(self.layout, rest, free, gone))
                if line is not None:
                    return [pair, *line]
        self.spares_not_enough[present & ~spares] = spares.bit_count()
        return None

    def _has_time(self, present: int, free: int) -> bool:
        """Whether no set of tiles is too large for the steps in which its tiles can go.

        A tile that is free only once `start` rounds of all free tiles have gone cannot go in the first
        `start` steps, and one with `tail` tiles below it, one on the other, not in the last `tail`: what is
        left in between takes two tiles a step.
        """
        tails: list[int] = []
        rounds: list[int] = []
        while present:
            rounds.append(len(tails))
            tails += sorted(self.tail[tile] for tile in bits(free))
            present &= ~free
            free = free_mask_after(self.layout, present, 0, free)
        for start, first in enumerate(rounds):
            longest = sorted(tails[first:], reverse=True)
            steps = len(tails) // 2 - start
            if any(count > 2 * (steps - tail) for count, tail in enumerate(longest, 1)):
                return False
        return True


def _tails(layout: Layout, present: int) -> list[int]:
    """For every tile the length of the longest chain of present tiles below it, each on the next."""
    tails = [0] * layout.size
    for tile in sorted(bits(present), key=lambda t: layout.tiles[t].z):
        for upper in bits(present):
            if layout.masks.above[tile] >> upper & 1:
                tails[upper] = max(tails[upper], tails[tile] + 1)
    return tails
