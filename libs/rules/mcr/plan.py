"""What the tiles of a hand are worth for the complete hands that it can become.

A complete hand that counts 8 points has a weight: how likely the tiles that are missing come, times what
it is worth. A tile is worth what stays when it is discarded: the weights of all complete hands within reach
that do not need it. Tiles come from the wall; one that completes a chow may be claimed from the player
before, one that completes a pung or the hand from anybody. Weights are whole numbers, so that they are the
same anywhere.

Of hands that miss up to two tiles every last tile is judged; of others the one that is the hardest to get
comes last. Sets of which the hand lacks tiles are claimed, unless the hand is concealed and stays so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from libs.rules.mcr.decompose import KNITTED_STRAIGHTS
from libs.rules.mcr.hand import MELDS_MAX, Hand, Win
from libs.rules.mcr.melds import Set, SetKind, exposed
from libs.rules.mcr.plan_terms import FARTHEST, NO_QUESTION, RATE_BITS, Plan, Question, is_possible
from libs.rules.mcr.promise import Promise, promise, promised
from libs.rules.mcr.score import POINTS_TO_WIN, score
from libs.rules.mcr.tiles import (
    ALL_TILES,
    COPIES,
    HONORS,
    ORPHANS,
    TileIndex,
    counted,
)

ONE: Final = 1 << 30
"""The weight of what is certain."""
NODES: Final = 100_000
"""Sets and pairs that are tried before the search ends where it is."""
SEVEN_PAIRS_POINTS: Final = 24
ORPHANS_POINTS: Final = 88
GREATER_POINTS: Final = 24
LESSER_POINTS: Final = 12
KNITTED_POINTS: Final = 13
_JUDGED: Final = 8
"""What the score of a hand costs, in sets and pairs that are tried."""
_NEAR: Final = 2


def plan(asked: Question) -> Plan:
    """Judge the tiles. Raises ValueError for what is no hand, and for rates that fall."""
    if not is_possible(asked):
        raise ValueError(NO_QUESTION)
    limit = asked.reach or 1
    while True:
        look = _Look(asked, limit)
        look.at_all()
        looked = NODES - look.nodes
        if asked.reach or limit == FARTHEST or limit > look.nearest:
            break
        if looked > NODES // (FARTHEST if look.nearest <= limit else 2):
            break
        limit += 1
    held = counted(asked.concealed)
    worth = tuple(look.total - look.used[tile] if held[tile] else -1 for tile in ALL_TILES)
    return Plan(worth, look.total, look.nearest, limit)


def _times(weight: int, rate: int) -> int:
    return weight * rate >> RATE_BITS


class _Group(NamedTuple):
    """A set, or the pair, of a complete hand."""

    tiles: tuple[TileIndex, ...]
    is_chow: bool
    lacks: tuple[tuple[TileIndex, int], ...]
    """Tiles that the hand misses; how many of their unseen copies are wanted before."""

    @property
    def as_set(self) -> Set:
        return Set(SetKind.CHOW if self.is_chow else SetKind.PUNG, self.tiles[0])


class _Draws(NamedTuple):
    """Tiles that are drawn, but for the hardest, which any discard may give."""

    drawn: int = ONE
    own: int = 0
    any: int = 0
    """The rates of that one."""
    missing: int = 0


class _Look:
    """All complete hands that miss up to so many tiles."""

    def __init__(self, asked: Question, limit: int) -> None:
        self.asked, self.limit, self.nodes = asked, limit, NODES
        self.held = counted(asked.concealed)
        self.need = [0] * len(ALL_TILES)
        self.nearest = FARTHEST + 1
        self.total = 0
        self.used = [0] * len(ALL_TILES)
        self.groups: list[_Group] = []
        self.is_open = any(not meld.concealed for meld in asked.melds)
        self.is_all_open = not any(meld.concealed for meld in asked.melds)
        kinds = [(tile, kind) for tile in ALL_TILES for kind in (SetKind.PUNG, SetKind.CHOW)]
        sets = [one for tile, kind in kinds if (one := Set(kind, tile)).is_possible]
        self.sets = self._by_cost((one.tiles, one.is_chow) for one in sets)
        self.pairs = self._by_cost(((tile, tile), False) for tile in ALL_TILES)

    def at_all(self) -> None:
        """Every shape that the melds leave possible."""
        melds = len(self.asked.melds)
        self._add_sets(0, MELDS_MAX - melds, 0)
        if melds <= 1:
            self._knitted_straights()
        if not melds:
            self._seven_pairs(0, 7, _Draws())
            self._orphans()
            self._honors_and_knitted()

    # Tiles and weights

    def _by_cost(
        self, choices: Iterable[tuple[tuple[TileIndex, ...], bool]]
    ) -> list[tuple[int, tuple[TileIndex, ...], bool]]:
        """What can be had, the fewest missing tiles first."""
        found = []
        for tiles, is_chow in choices:
            over = {tile: max(0, tiles.count(tile) - self.held[tile]) for tile in tiles}
            if all(lacking <= self.asked.unseen[tile] for tile, lacking in over.items()):
                found.append((sum(over.values()), tiles, is_chow))
        return sorted(found, key=lambda choice: choice[0])

    def _take(self, tiles: tuple[TileIndex, ...], *, is_chow: bool) -> bool:
        """Take the tiles of a set or pair as a group; False where one is not to be had."""
        lacks, is_there = [], True
        for tile in tiles:
            self.need[tile] += 1
            over = self.need[tile] - self.held[tile]
            if over > self.asked.unseen[tile]:
                is_there = False
            elif over > 0:
                lacks.append((tile, over - 1))
        self.groups.append(_Group(tiles, is_chow, tuple(lacks)))
        return is_there

    def _leave(self) -> None:
        for tile in self.groups.pop().tiles:
            self.need[tile] -= 1

    def _rate(self, rates: Sequence[int], lacking: tuple[TileIndex, int]) -> int:
        tile, copy = lacking
        return rates[tile] * (self.asked.unseen[tile] - copy) // self.asked.unseen[tile]

    def _give(self, weight: int, missing: int) -> None:
        """Add a weight to what is worth for all tiles that the complete hand does not need."""
        if weight <= 0 or not missing:
            return
        self.nearest = min(self.nearest, missing)
        self.total += weight
        for tile, held in enumerate(self.held):
            if held and self.need[tile] >= held:
                self.used[tile] += weight

    # Four sets and a pair

    def _add_sets(self, first: int, left: int, missing: int) -> None:
        """Every choice of so many further sets, from this one on in their order."""
        if not left:
            fans = promise(self.asked.melds, [one.as_set for one in self.groups], self.asked.winds)
            self._add_pair(fans, missing)
            return
        for place in range(first, len(self.sets)):
            cost, tiles, is_chow = self.sets[place]
            if missing + left * cost > self.limit or self.nodes < 0:
                break
            self.nodes -= 1
            if self._take(tiles, is_chow=is_chow):
                total = missing + len(self.groups[-1].lacks)
                if total <= self.limit:
                    self._add_sets(place, left - 1, total)
            self._leave()

    def _add_pair(self, fans: Promise, missing: int) -> None:
        for cost, tiles, _ in self.pairs:
            if missing + cost > self.limit:
                break
            self.nodes -= 1
            if self._take(tiles, is_chow=False):
                total = missing + len(self.groups[-1].lacks)
                if 0 < total <= self.limit:
                    self._judge(fans, total)
            self._leave()

    def _judge(self, fans: Promise, missing: int) -> None:
        """A complete hand with its pair."""
        if promised(fans, self.groups[-1].tiles[0]) + self._ending(missing) < POINTS_TO_WIN:
            return
        self.nodes -= _JUDGED
        lacks = [(group, place) for group, one in enumerate(self.groups) for place in range(len(one.lacks))]
        if missing <= _NEAR:
            lacks = [
                (group, place)
                for group, place in lacks
                if not place or self.groups[group].lacks[place][0] != self.groups[group].lacks[0][0]
            ]
            weight = sum(self._weight(*last) for last in lacks) // missing
        else:
            every = self.asked.rates.any
            hardest = min(lacks, key=lambda last: self._rate(every, self.groups[last[0]].lacks[last[1]]))
            weight = self._weight(*hardest)
        self._give(weight, missing)

    def _ending(self, missing: int) -> int:
        """Points for how the hand is completed, at most."""
        if self.is_all_open and all(one.lacks for one in self.groups):
            return 6  # melds alone
        return 1 if self.is_open else 4 if missing <= _NEAR else 2

    def _weight(self, last: int, place: int) -> int:
        """Of a complete hand whose last tile is that tile of that group."""
        own, chow, every = self.asked.rates
        closed = some = ONE
        has_claims = False
        for number, one in enumerate(self.groups):
            is_claimed = one is not self.groups[-1] and number != last and bool(one.lacks)
            has_claims |= is_claimed
            for at, lacking in enumerate(one.lacks):
                if (number, at) == (last, place):
                    continue
                ends = is_claimed and at == len(one.lacks) - 1
                closed = _times(closed, self._rate(own, lacking))
                some = _times(some, self._rate((chow if one.is_chow else every) if ends else own, lacking))
        lacking = self.groups[last].lacks[place]
        points = self._points(last, lacking[0], is_open=False)
        weight = self._ended(closed, points, 1 if self.is_open else 2, lacking)
        if not has_claims:
            return weight
        if not self.is_open:
            points = self._points(last, lacking[0], is_open=True)
        return weight + self._ended(some - closed, points, 1, lacking)

    def _points(self, last: int, tile: TileIndex, *, is_open: bool) -> int:
        """What the hand counts when a discard completes that group; groups that lacked tiles may be open."""
        melds = list(self.asked.melds)
        concealed: list[TileIndex] = []
        for number, one in enumerate(self.groups):
            if is_open and one is not self.groups[-1] and number != last and one.lacks:
                melds.append(exposed(one.as_set.kind, one.tiles[0]))
            else:
                concealed += one.tiles
        concealed.remove(tile)
        seat, prevalent = self.asked.winds
        won = Win(tile, seat_wind=seat, prevalent_wind=prevalent)
        best = score(Hand(tuple(concealed), tuple(melds)), won)
        assert best is not None, "it is complete"
        return best.total_without_flowers

    def _ended(self, weight: int, points: int, more: int, lacking: tuple[TileIndex, int]) -> int:
        """The weight with the last tile: from anybody, or drawn where only that makes it enough."""
        own, _, every = self.asked.rates
        if points >= POINTS_TO_WIN:
            return _times(weight, self._rate(every, lacking)) * (self.asked.base + points)
        if points + more >= POINTS_TO_WIN:
            return _times(weight, self._rate(own, lacking)) * (self.asked.base + points + more)
        return 0

    # Other shapes: their tiles are drawn, the last one may be claimed

    def _want(self, some: _Draws, lacking: tuple[TileIndex, int]) -> _Draws | None:
        """The draws and one more; None where no copy is left."""
        if lacking[1] >= self.asked.unseen[lacking[0]]:
            return None
        own, every = (self._rate(rates, lacking) for rates in (self.asked.rates.own, self.asked.rates.any))
        if not some.missing:
            return _Draws(some.drawn, own, every, 1)
        if every < some.any:
            return _Draws(_times(some.drawn, some.own), own, every, some.missing + 1)
        return some._replace(drawn=_times(some.drawn, own), missing=some.missing + 1)

    def _want_all(self, some: _Draws, lacks: Iterable[tuple[TileIndex, int]]) -> _Draws | None:
        found: _Draws | None = some
        for lacking in lacks:
            found = self._want(found, lacking) if found is not None else None
        return found

    def _worth(self, some: _Draws, points: int) -> None:
        if some.missing <= self.limit:
            self._give(_times(some.drawn, some.any) * (self.asked.base + points), some.missing)

    def _seven_pairs(self, first: int, left: int, some: _Draws) -> None:
        if some.missing > self.limit:
            return
        if not left:
            self._worth(some, SEVEN_PAIRS_POINTS)
            return
        for tile in ALL_TILES[first:]:
            self.nodes -= 1
            more = self._want(some, (tile, 0)) if self.held[tile] == 1 else some
            if not self.held[tile] or more is None:
                continue
            self.need[tile] = 2
            self._seven_pairs(tile + 1, left - 1, more)
            if self.held[tile] == COPIES and left > 1:
                self.need[tile] = COPIES
                self._seven_pairs(tile + 1, left - 2, more)
            self.need[tile] = 0

    def _lacks(self) -> Iterator[tuple[TileIndex, int]]:
        """The tiles that are needed and not held, by kind."""
        for tile in ALL_TILES:
            yield from ((tile, over) for over in range(self.need[tile] - self.held[tile]))

    def _singles(self, kinds: Iterable[TileIndex], pair: TileIndex | None, points: int) -> None:
        """A hand of single tiles, but for a pair."""
        for tile in kinds:
            self.need[tile] = 2 if tile == pair else 1
        some = self._want_all(_Draws(), self._lacks())
        if some is not None:
            self._worth(some, points)
        self.need = [0] * len(ALL_TILES)

    def _orphans(self) -> None:
        for pair in ORPHANS:
            self._singles(ORPHANS, pair, ORPHANS_POINTS)

    def _honors_and_knitted(self) -> None:
        for straight in KNITTED_STRAIGHTS:
            whole = HONORS.union(straight)
            for out in combinations(sorted(whole), 2):
                kinds = whole.difference(out)
                if sum(not self.held[tile] for tile in kinds) > self.limit:
                    continue
                self.nodes -= 1
                self._singles(kinds, None, GREATER_POINTS if kinds >= HONORS else LESSER_POINTS)

    def _knitted_straights(self) -> None:
        """A knitted straight, one more set unless it is melded, and the pair."""
        for straight in KNITTED_STRAIGHTS:
            if sum(not self.held[tile] for tile in straight) > self.limit:
                continue
            for tile in straight:
                self.need[tile] = 1
            some = self._want_all(_Draws(), self._lacks())
            if some is not None and self.asked.melds:
                self._knitted_pair(some)
            elif some is not None:
                self._knitted_set(some)
            self.need = [0] * len(ALL_TILES)

    def _knitted_set(self, some: _Draws) -> None:
        for cost, tiles, is_chow in self.sets:
            if some.missing + cost > self.limit:
                break
            self.nodes -= 1
            if self._take(tiles, is_chow=is_chow):
                more = self._want_all(some, self.groups[-1].lacks)
                if more is not None and more.missing <= self.limit:
                    self._knitted_pair(more)
            self._leave()

    def _knitted_pair(self, some: _Draws) -> None:
        for cost, tiles, _ in self.pairs:
            if some.missing + cost > self.limit:
                break
            if self._take(tiles, is_chow=False):
                more = self._want_all(some, self.groups[-1].lacks)
                if more is not None:
                    self._worth(more, KNITTED_POINTS)
            self._leave()
