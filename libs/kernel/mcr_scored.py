"""The score of a hand as the kernel tells it: total, flowers, fans, and the reading in bytes."""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from libs.rules.mcr import score as definition
from libs.rules.mcr.decompose import KNITTED_STRAIGHTS, Part, Reading, Shape
from libs.rules.mcr.fans_table import FANS, MIXED_KONGS
from libs.rules.mcr.hand import Hand
from libs.rules.mcr.melds import Set, SetKind
from libs.rules.mcr.score import FLOWER_TILES, POINTS_TO_WIN, Outcome
from libs.rules.mcr.tiles import FIRST_HONOR, RANKS, TileIndex

PUNG_CODE: Final = 1 << 6
KONG_CODE: Final = 2 << 6
CONCEALED_KONG_CODE: Final = 3 << 6
CHOW: Final = SetKind.CHOW
PUNG: Final = SetKind.PUNG
KONG: Final = SetKind.KONG
SHAPES: Final = tuple(Shape)
_READING_BYTES: Final = 9
_SETS_AT: Final = 5
_NONE: Final = 255
_PARTS: Final = (Part.PAIR, Part.ELSEWHERE)
_PARTS_FROM: Final = 4
_TITLES: Final = {fan.number: fan.title for fan in (*FANS, MIXED_KONGS)}


class Scored(NamedTuple):
    """The best score of a complete hand."""

    total_without_flowers: int
    flowers: int
    counted: tuple[tuple[int, int], ...]
    """Numbers of fans, each with how often it counts, highest first."""
    laid_out: bytes
    """`sk_mcr_reading`."""

    @property
    def total(self) -> int:
        """What is paid: flowers included."""
        return self.total_without_flowers + self.flowers * FLOWER_TILES.points

    @property
    def outcome(self) -> Outcome:
        """Whether the hand may be declared."""
        return Outcome.WIN if self.total_without_flowers >= POINTS_TO_WIN else Outcome.UNDER_8

    @property
    def fans(self) -> dict[str, int]:
        """How often each fan counts, by title; flowers last."""
        found = {_TITLES[number]: times for number, times in self.counted}
        return found | ({FLOWER_TILES.title: self.flowers} if self.flowers else {})

    def reading(self, hand: Hand) -> Reading:
        """The reading that scores this, of the hand that was asked about; the last of sets that are alike."""
        shape, straight, pair, completed, size = self.laid_out[:_SETS_AT]
        codes = self.laid_out[_SETS_AT : _SETS_AT + size]
        made = [Set(kind, tile) for kind, tile, *_ in map(meld_of, codes[len(hand.melds) :])]
        sets = (*hand.melds, *sorted(made, key=_in_definition))
        place: int | Part = _PARTS[completed - _PARTS_FROM] if completed >= _PARTS_FROM else 0
        if completed < _PARTS_FROM:
            one = made[completed - len(hand.melds)]
            place = max(index for index, other in enumerate(sets) if other == one)
        return Reading(
            SHAPES[shape],
            sets,
            None if pair == _NONE else TileIndex(pair),
            () if straight == _NONE else KNITTED_STRAIGHTS[straight],
            place,
        )


def _in_definition(one: Set) -> tuple[int, SetKind, int]:
    """What the definition lists concealed sets by: suit after suit, chows first."""
    return one.tile // RANKS if one.tile < FIRST_HONOR else one.tile, one.kind, one.tile


def defined(best: definition.Score | None) -> Scored | None:
    """The definition's score in this form."""
    if best is None:
        return None
    shape, sets, pair, knitted, completed = best.reading
    times = Counter(one.fan.number for one in best.counted)
    reading = (
        SHAPES.index(shape),
        KNITTED_STRAIGHTS.index(knitted) if knitted else _NONE,
        _NONE if pair is None else pair,
        _PARTS_FROM + _PARTS.index(completed) if isinstance(completed, Part) else completed,
        len(sets),
        *(code(one) for one in sets),
    )
    laid_out = bytes(reading).ljust(_READING_BYTES, b"\0")
    return Scored(best.total_without_flowers, best.flowers, tuple(times.items()), laid_out)


def code(meld: Set) -> int:
    """A meld in one byte: kind in the highest two bits, tile below. Raises ValueError for what is none."""
    kind, tile, melded, concealed = meld
    if not 0 <= tile < PUNG_CODE or (concealed and melded and kind is not KONG):
        raise ValueError(f"{meld} is no meld")
    if kind is CHOW:
        return tile
    return tile + (PUNG_CODE if kind is PUNG else CONCEALED_KONG_CODE if concealed else KONG_CODE)


def meld_of(code: int) -> Set:
    """The meld of a code. Raises ValueError for more than a byte."""
    kind, tile = divmod(code, PUNG_CODE)
    if not 0 <= kind <= len(SetKind):
        raise ValueError(f"{code} is no code of a meld")
    kinds = (CHOW, PUNG, KONG, KONG)
    return Set(kinds[kind], TileIndex(tile), melded=True, concealed=kind == CONCEALED_KONG_CODE // PUNG_CODE)
