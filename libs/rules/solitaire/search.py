"""The exact search behind the solver. It decides partners, not moves.

Once every tile has its partner the order of play does not matter: play whatever can be played, as an
available pair stays available. So a position is solvable exactly when its tiles can be paired off such
that this play clears the board. The search looks for such a set of edges among all edges.

*Clauses.* A clause is a set of edges of which every solution contains at least one. There are two sources.
Each tile needs a partner. And when the relaxed play with the open edges gets stuck, take the first pair of
a solution that has a tile in what is left: all pairs before it are gone in the relaxed play too, so it
could be played there; it was not, so its edge is closed; hence one of the closed edges that would go on
from here is in every solution. This holds for the position whatever was decided, so clauses are kept for
all later questions about the position. It holds under both pairings: it needs only that an available pair
stays available.

*Search.* Choose an edge of a shortest clause not yet met; where a clause has one open edge left, take
it; where it has none, or the relaxed play gets stuck, the decisions to blame contradict each other: jump
back to the latest of them and close its edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import Matching, Pairing, match_groups
from libs.rules.solitaire.certificate import Certificate
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.moves import can_pair
from libs.rules.solitaire.partners import Choices, Edges
from libs.rules.solitaire.relaxation import RelaxedPlay
from libs.rules.tiles import Face

LATEST_CLAUSES: Final = 200
"""How many clauses have a say in which edge is tried next."""


class OutOfNodes(Exception):
    """The node budget is used up."""


class Search:
    """Everything learned about one position, for any number of questions about it.

    A node is one relaxed play from the start of the position.
    """

    def __init__(
        self,
        layout: Layout,
        faces: Sequence[Face],
        present: int,
        matching: Matching,
        pairing: Pairing,
        node_budget: int,
    ) -> None:
        """Nothing is searched yet; all questions together may use `node_budget` nodes."""
        self.layout, self.faces, self.present = layout, faces, present
        self.matching, self.pairing = matching, pairing
        self.nodes_left = node_budget
        self.edges = Edges.among(match_groups(matching, faces, present))
        self.clauses = [self.edges.at[tile] for tile in bits(present)]

    def solution_with(self, pair: tuple[int, int] | None = None) -> int | None:
        """The edges of a solution (that pairs these two tiles), or None: there is none.

        Raises OutOfNodes.
        """
        choices = Choices(self.edges, self.layout.size)
        if pair is not None:
            choices.choose(self.edges.number[pair], 0)
        found = self._search(choices, 0)
        return found.chosen if isinstance(found, Choices) else None

    def certificate(self, solution: int) -> Certificate:
        """The pairs of a solution in an order in which they can be played."""
        waiting = [self.edges.ends[edge] for edge in bits(solution)]
        line: list[tuple[int, int]] = []
        present = self.present
        while waiting:
            for first, second in [*waiting, *((b, a) for a, b in waiting)]:
                if can_pair(self.layout, self.faces, present, first, second, self.matching, self.pairing):
                    line.append((first, second))
                    present &= ~(1 << first | 1 << second)
                    waiting.remove((min(first, second), max(first, second)))
                    break
            else:
                raise AssertionError("a solution can be played to the end")
        return tuple(line)

    def _search(self, choices: Choices, depth: int) -> Choices | int:
        """The first solution under these choices, or the decisions to blame that there is none."""
        while True:
            blame = self._settle(choices)
            if blame is not None:
                return blame
            edge = self._next_edge(choices)
            if edge is None:
                return choices
            below = choices.copy()
            below.choose(edge, 1 << depth)
            found = self._search(below, depth + 1)
            if isinstance(found, Choices) or not found >> depth & 1:
                return found
            choices.close(edge, found & ~(1 << depth))

    def _settle(self, choices: Choices) -> int | None:
        """Take what the clauses leave no choice about; the decisions to blame for a contradiction."""
        blame = self._take_forced(choices)
        if blame is not None:
            return blame
        if not self.nodes_left:
            raise OutOfNodes
        self.nodes_left -= 1
        play = RelaxedPlay.start(self.layout, self.present, self.pairing)
        play.run(choices.partners)
        if not play.present:
            return None
        clause = self._learn(choices, play)
        self.clauses.append(clause)
        return choices.blamed(clause)

    def _take_forced(self, choices: Choices) -> int | None:
        changed = True
        while changed:
            changed = False
            for clause in self.clauses:
                if clause & choices.chosen:
                    continue
                possible = clause & choices.open
                if possible & (possible - 1):
                    continue
                blame = choices.blamed(clause & ~possible)
                if not possible:
                    return blame
                choices.choose(possible.bit_length() - 1, blame)
                changed = True
        return None

    def _next_edge(self, choices: Choices) -> int | None:
        """The edge to try next; None when every clause is met, so that every tile has its partner.

        Of the shortest clause not yet met (of several the latest, which the search is struggling with)
        the edge that the most of the latest clauses not yet met hold.
        """
        waiting = [clause & choices.open for clause in self.clauses if not clause & choices.chosen]
        if not waiting:
            return None
        clause = min(reversed(waiting), key=int.bit_count)
        latest = waiting[-LATEST_CLAUSES:]
        return max(bits(clause), key=lambda edge: sum(other >> edge & 1 for other in latest))

    def _learn(self, choices: Choices, play: RelaxedPlay) -> int:
        """The clause of a stuck relaxed play, made short.

        Closed edges are opened again as long as the play still gets stuck, those first that the latest
        decisions closed: what then remains closed blames few and early decisions.
        """
        partners = choices.partners.copy()
        closed = ((1 << len(self.edges.ends)) - 1) & ~choices.open
        needed = 0
        while True:
            clause = self._unsticking(play, closed)
            candidates = clause & ~needed
            if not candidates:
                return clause
            edge = max(bits(candidates), key=lambda e: choices.blame[e])
            a, b = self.edges.ends[edge]
            partners[a] |= 1 << b
            partners[b] |= 1 << a
            further = play.copy()
            further.run(partners, 1 << a | 1 << b)
            if further.present:
                play, closed = further, closed & ~(1 << edge)
            else:
                needed |= 1 << edge
                partners[a] &= ~(1 << b)
                partners[b] &= ~(1 << a)

    def _unsticking(self, play: RelaxedPlay, closed: int) -> int:
        """The closed edges over which the stuck play would go on."""
        found = 0
        for tile in bits(play.free):
            for edge in bits(self.edges.at[tile] & closed & ~found):
                a, b = self.edges.ends[edge]
                if play.can_leave(tile, 1 << (b if a == tile else a)):
                    found |= 1 << edge
        return found
