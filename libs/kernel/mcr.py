"""The scores and shanten numbers of MCR hands from the compiled kernel.

The same answers and errors as `libs/rules/mcr/score.py` and `shanten.py`, which define them and answer
instead where the kernel is not built. A score comes without reasons; of readings with the same total it is
one with the same fans. Questions about one hand take less than a microsecond and keep the interpreter lock;
batches release it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import Final, Literal

from libs.kernel.calls import calls
from libs.kernel.library import library
from libs.kernel.mcr_scored import (
    CHOW,
    CONCEALED_KONG_CODE,
    KONG,
    KONG_CODE,
    PUNG,
    PUNG_CODE,
    SHAPES,
    Scored,
    code,
    defined,
    meld_of,
)
from libs.rules.mcr import score as definition
from libs.rules.mcr import shanten as distance
from libs.rules.mcr.decompose import Shape
from libs.rules.mcr.hand import Hand, NotAHandError, Win, check, check_hand
from libs.rules.mcr.melds import Set
from libs.rules.mcr.profile import MIL, Profile
from libs.rules.mcr.tiles import ALL_TILES, TileIndex

__all__ = [
    "CONCEALED_KONG_CODE",
    "KONG_CODE",
    "NOT_COMPLETE",
    "NO_HAND",
    "PUNG_CODE",
    "RECORD_BYTES",
    "Scored",
    "batch",
    "code",
    "completing",
    "least_packed",
    "least_shanten",
    "meld_of",
    "score",
    "score_batch",
    "score_packed",
    "shanten",
]

NOT_COMPLETE: Final = -1
NO_HAND: Final = -2
RECORD_BYTES: Final = 24
"""Of a hand in a batch."""
_ABSENT: Final = 127
_NEGATIVE: Final = 128
_BYTE: Final = 256
_UNREAD: Final = False
"""The kernel's word on what is no hand, or told in other than lists and tuples of whole numbers."""

_Numbers = Sequence[int]
_Melds = Sequence[int] | Sequence[Set]
_Waiting = Callable[[_Numbers, _Melds], int]
_SCORE: Callable[[_Numbers, _Melds, _Numbers, int], Scored | Literal[False] | None] | None = None
_LEAST: _Waiting | None = None
_SHANTEN: _Waiting | None = None
_COMPLETING: _Waiting | None = None

_KERNEL = library()
if _KERNEL is not None:
    _CALLS = calls(_KERNEL.sk_mcr_methods, 4, _UNREAD, (Scored, CHOW, PUNG, KONG))
    if _CALLS is not None:
        _SCORE, _LEAST, _SHANTEN, _COMPLETING = _CALLS


def score(hand: Hand, win: Win, profile: Profile = MIL) -> Scored | None:
    """The best score, or None for a hand that the last tile does not complete. Raises NotAHandError."""
    switches = _MIL if profile is MIL else _switches(profile)
    if _SCORE is None or switches is None:
        return defined(definition.score(hand, win, profile))
    concealed, melds = hand
    told = _SCORE(concealed, melds, win, switches)
    if told is _UNREAD:
        concealed, melds = _exact(hand)
        told = _SCORE(concealed, melds, tuple(map(index, win)), switches)
        if told is _UNREAD:
            raise _refusal(hand, win)
    return told


def _exact(hand: Hand) -> Hand:
    """The hand with nothing but whole numbers where others may stand for them."""
    concealed, melds = hand
    sets = [meld._replace(tile=TileIndex(index(meld.tile))) for meld in melds]
    return Hand(tuple(TileIndex(index(tile)) for tile in concealed), tuple(sets))


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

    Raises ValueError for what is no hand. Lists and tuples of plain numbers are answered without detour.
    """
    if _SCORE is not None and profile is MIL:
        told = _SCORE(concealed, melds, win, _MIL)
        if told is not _UNREAD:
            return told
    return score(_unpacked(concealed, melds), _unpacked_win(win), profile)


def least_packed(concealed: Sequence[int], melds: Sequence[int]) -> int:
    """`least_shanten` for who holds melds by their `code`. Raises ValueError for what is no hand."""
    if _LEAST is not None:
        told = _LEAST(concealed, melds)
        if told is not _UNREAD:
            return told
    return least_shanten(_unpacked(concealed, melds))


def _unpacked(concealed: Sequence[int], melds: Sequence[int]) -> Hand:
    return Hand(tuple(map(TileIndex, concealed)), tuple(map(meld_of, melds)))


def _unpacked_win(win: Sequence[int]) -> Win:
    tile, *flags, seat, prevalent, flowers = win
    if len(win) != len(Win._fields) or not set(flags) <= {0, 1}:
        raise ValueError("these are no circumstances of a hand")
    drawn, last_of_kind, last_tile, kong_related = map(bool, flags)
    winds = TileIndex(seat), TileIndex(prevalent)
    return Win(TileIndex(tile), drawn, last_of_kind, last_tile, kong_related, *winds, flowers)


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
    if _SHANTEN is None:
        return distance.shanten(hand)
    numbers = zip(SHAPES, _asked(_SHANTEN, hand).to_bytes(8, "little"), strict=False)
    return {
        shape: number if number < _NEGATIVE else number - _BYTE
        for shape, number in numbers
        if number != _ABSENT
    }


def least_shanten(hand: Hand) -> int:
    """The least of all shapes' numbers. Raises NotAHandError."""
    if _LEAST is None:
        return min(distance.shanten(hand).values())
    return _asked(_LEAST, hand)


def completing(hand: Hand) -> tuple[TileIndex, ...]:
    """The tiles that complete the hand by shape, whether or not a copy is left. Raises NotAHandError."""
    if _COMPLETING is None:
        return distance.completing(hand.concealed, hand.melds)
    told = _asked(_COMPLETING, hand)
    return tuple(tile for tile in ALL_TILES if told >> tile & 1)


def _asked(question: _Waiting, hand: Hand) -> int:
    """The answer about a hand that waits. Raises NotAHandError."""
    concealed, melds = hand
    told = question(concealed, melds)
    if told is _UNREAD:
        told = question(*_exact(hand))
        if told is _UNREAD:
            raise _refusal(hand, None)
    return told


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


_MIL: Final = _switches(MIL) or 0
"""Not 0: three switches are on."""
