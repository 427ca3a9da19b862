"""The scores and shanten numbers of MCR hands from the compiled kernel.

The same answers and errors as `libs/rules/mcr/score.py` and `shanten.py`, which define them and answer
instead where the kernel is not built. A score comes without reading and reasons; of readings with the same
total it is the same one. Questions about one hand take less than a microsecond and keep the interpreter
lock; batches release it.
"""

from __future__ import annotations

import ctypes
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from libs.kernel.library import McrAnswer, library, quick_library
from libs.rules.mcr import score as definition
from libs.rules.mcr import shanten as distance
from libs.rules.mcr.decompose import Shape
from libs.rules.mcr.fans_table import FANS, MIXED_KONGS
from libs.rules.mcr.hand import HELD, Hand, NotAHandError, Win, check, check_hand
from libs.rules.mcr.melds import Set, SetKind
from libs.rules.mcr.profile import MIL, Profile
from libs.rules.mcr.score import FLOWER_TILES, POINTS_TO_WIN, Outcome
from libs.rules.mcr.tiles import ALL_TILES, TileIndex

NOT_COMPLETE: Final = -1
NO_HAND: Final = -2
RECORD_BYTES: Final = 24
"""Of a hand in a batch."""
_FANS_AT: Final = 4
_ABSENT: Final = 127
_NEGATIVE: Final = 128
_LONGEST_WAITING: Final = 1 + HELD
_CIRCUMSTANCES: Final = len(Win._fields)
_LONGEST: Final = _CIRCUMSTANCES + _LONGEST_WAITING
"""Bytes of a record without melds; each meld takes two less."""
_BYTE: Final = 256
_TITLES: Final = {fan.number: fan.title for fan in (*FANS, MIXED_KONGS)}
CHOW: Final = SetKind.CHOW
PUNG: Final = SetKind.PUNG
KONG: Final = SetKind.KONG
PUNG_CODE: Final = 1 << 6
KONG_CODE: Final = 2 << 6
CONCEALED_KONG_CODE: Final = 3 << 6
_SHAPES: Final = tuple(Shape)

_KERNEL = library()
_QUICK = quick_library()
_SCORE = _QUICK.sk_mcr_score if _QUICK is not None else None
_LEAST = _QUICK.sk_mcr_least if _QUICK is not None else None
if _QUICK is not None:
    _QUICK.sk_mcr_shanten.restype = _QUICK.sk_mcr_completing.restype = ctypes.c_int64
_OWN = McrAnswer()
_made = tuple.__new__


class Scored(NamedTuple):
    """The best score of a complete hand."""

    total_without_flowers: int
    flowers: int
    answer: bytes
    """What the kernel said: from the fifth byte on numbers of fans, each with how often it counts."""

    @property
    def counted(self) -> tuple[tuple[int, int], ...]:
        """Numbers of fans, each with how often it counts, highest first."""
        told = self.answer[_FANS_AT : _FANS_AT + 2 * self.answer[_FANS_AT - 1]]
        return tuple(zip(told[::2], told[1::2], strict=True))

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


def score(hand: Hand, win: Win, profile: Profile = MIL) -> Scored | None:
    """The best score, or None for a hand that the last tile does not complete. Raises NotAHandError."""
    switches = _MIL if profile is MIL else _switches(profile)
    if _SCORE is None or switches is None:
        return _defined(definition.score(hand, win, profile))
    concealed, melds = hand
    answer = _OWN.buffer
    try:
        record = bytes([*win, len(melds), *concealed, *map(code, melds)])
    except ValueError:
        record = b""
    if len(record) != _LONGEST - 2 * len(melds):
        raise _refusal(hand, win)
    total = _SCORE(record, switches, answer)
    if total >= 0:
        return _made(Scored, (total, win[-1], answer.raw))
    if total == NO_HAND:
        raise _refusal(hand, win)
    return None


def _refusal(hand: Hand, win: Win | None) -> ValueError:
    """What is wrong with a hand: what the definition says, or that a number is no tile."""
    try:
        if win is None:
            check_hand(hand)
        else:
            check(hand, win)
    except NotAHandError as error:
        return error
    except IndexError:
        pass
    return ValueError("a number is no tile")


def score_packed(
    concealed: Sequence[int], melds: Sequence[int], win: Sequence[int], profile: Profile = MIL
) -> Scored | None:
    """The same of numbers alone: melds by their `code`, `win` as the fields of Win in their order.

    Raises ValueError for what is no hand, without saying what is wrong.
    """
    switches = _MIL if profile is MIL else _switches(profile)
    count = len(melds)
    record = bytes([*win, count, *concealed, *melds])
    is_whole = len(record) == _LONGEST - 2 * count and len(win) == _CIRCUMSTANCES
    if _SCORE is None or switches is None or not is_whole:
        return score(*_unpacked(concealed, melds, win), profile)
    answer = _OWN.buffer
    total = _SCORE(record, switches, answer)
    if total >= 0:
        return _made(Scored, (total, win[-1], answer.raw))
    if total == NO_HAND:
        raise ValueError("these are no tiles and circumstances of a hand")
    return None


def least_packed(concealed: Sequence[int], melds: Sequence[int]) -> int:
    """`least_shanten` for who holds melds by their `code`. Raises ValueError for what is no hand."""
    count = len(melds)
    record = bytes([count, *concealed, *melds])
    if _LEAST is None or len(record) != _LONGEST_WAITING - 2 * count:
        return least_shanten(_unpacked(concealed, melds, Win(ALL_TILES[0]))[0])
    number: int = _LEAST(record)
    if number == NO_HAND:
        raise ValueError("these are no tiles of a hand")
    return number


def _unpacked(concealed: Sequence[int], melds: Sequence[int], win: Sequence[int]) -> tuple[Hand, Win]:
    tile, self_drawn, last_of_kind, last_tile, kong_related, seat, prevalent, flowers = win
    return Hand(tuple(map(TileIndex, concealed)), tuple(map(meld_of, melds))), Win(
        TileIndex(tile),
        bool(self_drawn),
        bool(last_of_kind),
        bool(last_tile),
        bool(kong_related),
        TileIndex(seat),
        TileIndex(prevalent),
        flowers,
    )


def batch(hands: Iterable[tuple[Hand, Win]]) -> bytes:
    """Many hands as the kernel reads them. Raises NotAHandError for one that cannot be."""
    return b"".join(map(_record, hands))


def _record(asked: tuple[Hand, Win]) -> bytes:
    hand, win = asked
    check(hand, win)
    return bytes([*win, len(hand.melds), *hand.concealed, *map(code, hand.melds)]).ljust(RECORD_BYTES, b"\0")


def score_batch(records: bytes, profile: Profile = MIL) -> array[int]:
    """The totals without flowers of a batch; NOT_COMPLETE, or NO_HAND for what cannot be.

    Raises ValueError for what is no whole number of records, and for a profile that the kernel does not know.
    """
    count, over = divmod(len(records), RECORD_BYTES)
    switches = _switches(profile)
    if over or switches is None or _KERNEL is None:
        raise ValueError("no records of hands, an own profile, or no kernel")
    totals = array("h", bytes(2 * count))
    _KERNEL.sk_mcr_score_batch(records, count, switches, totals.buffer_info()[0])
    return totals


def shanten(hand: Hand) -> dict[Shape, int]:
    """The number of each shape that these melds leave possible, regular first. Raises NotAHandError."""
    if _QUICK is None:
        return distance.shanten(hand)
    told = _QUICK.sk_mcr_shanten(_waiting(hand))
    if told == NO_HAND:
        raise _refusal(hand, None)
    numbers = zip(_SHAPES, told.to_bytes(8, "little", signed=True), strict=False)
    return {
        shape: number if number < _NEGATIVE else number - _BYTE
        for shape, number in numbers
        if number != _ABSENT
    }


def least_shanten(hand: Hand) -> int:
    """The least of all shapes' numbers. Raises NotAHandError."""
    if _LEAST is None:
        return min(distance.shanten(hand).values())
    number: int = _LEAST(_waiting(hand))
    if number == NO_HAND:
        raise _refusal(hand, None)
    return number


def completing(hand: Hand) -> tuple[TileIndex, ...]:
    """The tiles that complete the hand by shape, whether or not a copy is left. Raises NotAHandError."""
    if _QUICK is None:
        return distance.completing(hand.concealed, hand.melds)
    told = _QUICK.sk_mcr_completing(_waiting(hand))
    if told == NO_HAND:
        raise _refusal(hand, None)
    return tuple(tile for tile in ALL_TILES if told >> tile & 1)


def _waiting(hand: Hand) -> bytes:
    concealed, melds = hand
    try:
        record = bytes([len(melds), *concealed, *map(code, melds)])
    except ValueError:
        record = b""
    if len(record) != _LONGEST_WAITING - 2 * len(melds):
        raise _refusal(hand, None)
    return record


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
    kinds = (CHOW, PUNG, SetKind.KONG, SetKind.KONG)
    return Set(kinds[kind], TileIndex(tile), melded=True, concealed=kind == CONCEALED_KONG_CODE // PUNG_CODE)


def _switches(profile: Profile) -> int | None:
    """The profile in the kernel's bits; None for points that the kernel does not know."""
    if profile.two_concealed_kongs not in {6, 8} or profile.mixed_kongs not in {5, 6}:
        return None
    bits = (
        profile.two_concealed_kongs == 8,
        profile.mixed_kongs == 6,
        profile.fully_concealed_by_nature,
        profile.straight_among_honors,
        profile.wait_in_straight,
        profile.exhausted_wait,
    )
    return sum(bit << place for place, bit in enumerate(bits))


_MIL: Final = _switches(MIL)


def _defined(best: definition.Score | None) -> Scored | None:
    """The definition's score in this form."""
    if best is None:
        return None
    times = Counter(one.fan.number for one in best.counted)
    pairs = bytes(part for number, count in times.items() for part in (number, count))
    return Scored(best.total_without_flowers, best.flowers, bytes((0, 0, 0, len(times))) + pairs)
