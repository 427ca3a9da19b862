"""The notation that players write hands in: `[123m][EEEE,1]55p789sFF8p|ES1000|2`.

Suit tiles are ranks with their suit behind them (`123m`: m characters, p circles, s bamboos), honours are
letters (`E S W N` winds, `C F P` red, green and white dragon). Melds stand in brackets; a comma and a number
say from whom an exposed one is (1 left, 2 opposite, 3 right, more than 3 an added kong). That changes no
score and may be left out, but for kongs: without it they are concealed. The last tile of a complete hand is
the one that completed it. After a bar follow round wind, seat wind and four digits, 1 for yes: self-drawn,
last of its kind, last tile of the wall, kong-related; after another bar the number of flowers. Blanks mean
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from libs.rules.mcr.hand import HELD, Hand, Win
from libs.rules.mcr.melds import Set, SetKind
from libs.rules.mcr.tiles import NOTATION, TileIndex, parse_tile

_GROUP: Final = re.compile(r"(?P<ranks>[1-9]+)(?P<suit>[mps])|(?P<honors>[ESWNCFP]+)")
_MELD: Final = re.compile(r"\[(?P<tiles>[^],]*)(?:,(?P<source>[1-7]))?\]")
_CIRCUMSTANCES: Final = re.compile(r"(?P<winds>[ESWN]{2})(?P<flags>[01]{4})")
_FLOWERS: Final = re.compile(r"[0-8]")


class NotationError(ValueError):
    """What cannot be read in a text, in one sentence."""


class Written(NamedTuple):
    """What was written down."""

    hand: Hand
    win: Win | None
    """None of a hand that waits for its last tile."""


def parse_hand(text: str) -> Written:
    """Read a hand; whether it can exist is another question. Raises NotationError."""
    tiles, *rest = "".join(text.split()).split("|")
    if len(rest) > 2:
        raise NotationError("more than two bars")
    melds = tuple(_meld(match) for match in _MELD.finditer(tiles))
    concealed = list(_tiles(_MELD.sub("", tiles)))
    held = len(concealed) + 3 * len(melds)
    if held == HELD and not rest:
        return Written(Hand(tuple(concealed), melds), None)
    if held != HELD + 1:
        raise NotationError(
            f"{held} tiles, a meld counted as three: 14 are a complete hand, 13 one that waits"
        )
    win = _win(concealed[-1], rest)
    return Written(Hand(tuple(concealed[:-1]), melds), win)


def write_tiles(tiles: tuple[TileIndex, ...]) -> str:
    """The tiles in their order, a suit named once for those that follow each other."""
    text = ""
    for tile in tiles:
        name = NOTATION[tile]
        text = text[:-1] + name if len(name) == 2 and text.endswith(name[1]) else text + name
    return text


def _tiles(text: str) -> Iterator[TileIndex]:
    """The tiles of a text without melds."""
    place = 0
    while place < len(text):
        group = _GROUP.match(text, place)
        if group is None:
            raise NotationError(f"{text[place : place + 8]!r} are no tiles")
        names = group["honors"] or [rank + group["suit"] for rank in group["ranks"]]
        yield from (tile for name in names if (tile := parse_tile(name)) is not None)
        place = group.end()


def _meld(match: re.Match[str]) -> Set:
    tiles = sorted(_tiles(match["tiles"]))
    lowest = tiles[0] if tiles else TileIndex(0)
    steps = [tile - lowest for tile in tiles]
    kinds = {(0, 1, 2): SetKind.CHOW, (0, 0, 0): SetKind.PUNG, (0, 0, 0, 0): SetKind.KONG}
    kind = kinds.get(tuple(steps))
    if kind is None:
        raise NotationError(f"{match[0]} is no chow, pung or kong")
    return Set(kind, lowest, melded=True, concealed=kind is SetKind.KONG and match["source"] is None)


def _win(tile: TileIndex, rest: list[str]) -> Win:
    if not rest:
        return Win(tile)
    circumstances = _CIRCUMSTANCES.fullmatch(rest[0])
    if circumstances is None:
        raise NotationError(
            f"{rest[0]!r} is not round wind, seat wind and four digits 0 or 1, such as ES1000"
        )
    flowers = rest[1] if len(rest) > 1 else "0"
    if not _FLOWERS.fullmatch(flowers):
        raise NotationError(f"{flowers!r} is no number of flowers, 0 to 8")
    prevalent, seat = (parse_tile(wind) for wind in circumstances["winds"])
    assert prevalent is not None and seat is not None
    self_drawn, last_of_kind, last_tile, kong_related = (flag == "1" for flag in circumstances["flags"])
    return Win(
        tile=tile,
        self_drawn=self_drawn,
        last_of_kind=last_of_kind,
        last_tile=last_tile,
        kong_related=kong_related,
        seat_wind=seat,
        prevalent_wind=prevalent,
        flowers=int(flowers),
    )
