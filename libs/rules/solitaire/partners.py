"""Who may still be paired with whom, and why not: the state of the solver's search.

An edge is a possible pair: two tiles of the position with matching faces. Sets of edges and sets of
decisions are ints, like sets of tiles. Every closed edge remembers the decisions that closed it, so that
a contradiction names the decisions to blame, and the search can jump back over all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from libs.rules.solitaire.bitset import bits


@dataclass(frozen=True)
class Edges:
    """All edges of a position, numbered."""

    ends: tuple[tuple[int, int], ...]
    """The two tiles of every edge, lower first."""
    at: dict[int, int]
    """For every tile of the position, its edges."""
    number: dict[tuple[int, int], int]
    """From (lower tile, higher tile) to the edge."""

    @classmethod
    def among(cls, groups: Sequence[int]) -> Edges:
        """The edges inside these sets of matching tiles."""
        ends = tuple(pair for group in groups for pair in combinations(bits(group), 2))
        at = {tile: 0 for group in groups for tile in bits(group)}
        for edge, (a, b) in enumerate(ends):
            at[a] |= 1 << edge
            at[b] |= 1 << edge
        return cls(ends, at, {pair: edge for edge, pair in enumerate(ends)})


class Choices:
    """Which edges are chosen, which are still open, and the partners that follow from it."""

    def __init__(self, edges: Edges, tiles: int) -> None:
        """Everything is open. `tiles` is the number of tiles of the layout."""
        self.edges = edges
        self.open = (1 << len(edges.ends)) - 1
        self.chosen = 0
        self.blame = [0] * len(edges.ends)
        self.partners = [0] * tiles
        for a, b in edges.ends:
            self.partners[a] |= 1 << b
            self.partners[b] |= 1 << a

    def copy(self) -> Choices:
        """An independent state that goes on from here."""
        other = Choices.__new__(Choices)
        other.edges, other.open, other.chosen = self.edges, self.open, self.chosen
        other.blame, other.partners = self.blame.copy(), self.partners.copy()
        return other

    def choose(self, edge: int, blame: int) -> None:
        """The two tiles go together, because of the decisions `blame`; their other edges close."""
        a, b = self.edges.ends[edge]
        self.chosen |= 1 << edge
        for rival in bits((self.edges.at[a] | self.edges.at[b]) & self.open & ~(1 << edge)):
            self.close(rival, blame)

    def close(self, edge: int, blame: int) -> None:
        """The two tiles do not go together, because of the decisions `blame`."""
        a, b = self.edges.ends[edge]
        self.open &= ~(1 << edge)
        self.blame[edge] = blame
        self.partners[a] &= ~(1 << b)
        self.partners[b] &= ~(1 << a)

    def blamed(self, edges: int) -> int:
        """All decisions to blame that these edges are closed."""
        decisions = 0
        for edge in bits(edges):
            decisions |= self.blame[edge]
        return decisions
