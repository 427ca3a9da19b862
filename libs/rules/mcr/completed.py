"""A complete hand in one of its readings: what the fans are read off."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from libs.rules.mcr.decompose import Part, Reading, Shape
from libs.rules.mcr.hand import Hand, Win
from libs.rules.mcr.melds import Set
from libs.rules.mcr.profile import Profile
from libs.rules.mcr.tiles import KINDS, SUITS, TileIndex, counted, suit_of


@dataclass(frozen=True)
class Completed:
    """A hand, its last tile and one reading of both together; sets are spoken of by their index."""

    hand: Hand
    win: Win
    reading: Reading
    profile: Profile
    waits: Callable[[], Collection[TileIndex]]
    """The tiles that would have completed the hand, in any reading."""

    @property
    def sets(self) -> tuple[Set, ...]:
        """Up to four sets, melds first."""
        return self.reading.sets

    @property
    def pair(self) -> TileIndex | None:
        """The pair beside sets; special shapes without sets have none."""
        return self.reading.pair

    @property
    def is_regular(self) -> bool:
        """Whether it is read as four sets and a pair."""
        return self.reading.shape is Shape.REGULAR

    @cached_property
    def counts(self) -> list[int]:
        """How many there are of each tile, all four of a kong."""
        return counted((*self.hand.all_tiles, self.win.tile))

    @cached_property
    def kinds(self) -> frozenset[TileIndex]:
        """The different tiles."""
        return frozenset(TileIndex(tile) for tile in range(KINDS) if self.counts[tile])

    @cached_property
    def suits(self) -> frozenset[int]:
        """The suits there are."""
        return frozenset(suit for tile in self.kinds if (suit := suit_of(tile)) is not None)

    @property
    def suits_missing(self) -> int:
        """How many of the three suits there are not."""
        return SUITS - len(self.suits)

    @cached_property
    def chows(self) -> tuple[int, ...]:
        """Its chows."""
        return tuple(index for index, one in enumerate(self.sets) if one.is_chow)

    @cached_property
    def pungs(self) -> tuple[int, ...]:
        """Its pungs and kongs: where the rules say pung, a kong is one too."""
        return tuple(index for index, one in enumerate(self.sets) if not one.is_chow)

    def pungs_of(self, tiles: Collection[TileIndex]) -> tuple[int, ...]:
        """Its pungs and kongs of these tiles."""
        return tuple(index for index in self.pungs if self.sets[index].tile in tiles)

    def kongs(self, *, concealed: bool) -> tuple[int, ...]:
        """Its concealed kongs, or those that are melded."""
        return tuple(i for i, one in enumerate(self.sets) if one.is_kong and one.concealed is concealed)

    @cached_property
    def concealed_pungs(self) -> tuple[int, ...]:
        """Pungs and kongs of own tiles alone: not the one that another's discard completed."""
        claimed = None if self.win.self_drawn else self.reading.completed
        return tuple(index for index in self.pungs if self.sets[index].concealed and index != claimed)

    @property
    def is_concealed(self) -> bool:
        """Whether nothing was claimed before the last tile; a concealed kong is no claim."""
        return all(meld.concealed for meld in self.hand.melds)

    @property
    def last_of_kind(self) -> bool:
        """Whether the other three copies were face up, if only in the hand's own melds."""
        own = [tile for meld in self.hand.melds if not meld.concealed for tile in meld.tiles]
        return self.win.last_of_kind or own.count(self.win.tile) == 3

    @property
    def completed_set(self) -> Set | None:
        """The set that the last tile completed."""
        place = self.reading.completed
        return None if isinstance(place, Part) else self.sets[place]

    @property
    def completed_pair(self) -> bool:
        """Whether the last tile completed the pair."""
        return self.reading.completed is Part.PAIR

    @cached_property
    def waited_for_one(self) -> bool:
        """Whether the hand waited for one tile only, over all its readings, and as the profile reads that."""
        if self.win.tile in self.reading.knitted and not self.profile.wait_in_straight:
            return False
        return len(self.waits()) == 1

    def all_in(self, tiles: Collection[TileIndex]) -> bool:
        """Whether the hand has no other tiles than these."""
        return all(tile in tiles for tile in self.kinds)

    def each_part(self, fits: Callable[[Sequence[TileIndex]], bool]) -> bool:
        """Whether it is four sets and a pair of which every one fits."""
        if not self.is_regular or self.pair is None:
            return False
        return fits((self.pair,)) and all(fits(one.tiles) for one in self.sets)
