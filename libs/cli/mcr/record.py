"""Lines of hand files: the hand they tell, or what is wrong with them."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from libs.cli.line_file import LineFault, document, is_int, name_of
from libs.rules.mcr.hand import Hand, Win
from libs.rules.mcr.melds import Set, SetKind
from libs.rules.mcr.tiles import TileIndex, parse_tile

LINE_BYTES_MAX: Final = 1 << 16
"""Of a line without its end; a hand with all its fans needs a hundredth of it."""
_TILES_MAX: Final = 14
_QUOTED_LENGTH: Final = 40


class ScoreRecord(NamedTuple):
    """A hand to score, and the name that its answer repeats."""

    name: str | int | None
    hand: Hand
    win: Win


class ShantenRecord(NamedTuple):
    """A hand to count the distance of, and the name that its answer repeats."""

    name: str | int | None
    hand: Hand


def parse_score(line: bytes) -> ScoreRecord:
    """The hand of a line of a score file; what is not there is no, East or 0. Raises LineFault."""
    fields = document(line, LINE_BYTES_MAX)
    hand = Hand(_tiles(fields, "concealed"), _melds(fields, "melds"))
    win = Win(
        tile=_tile(_wanted(fields, "win_tile"), "win_tile"),
        self_drawn=_flag(fields, "self_drawn"),
        last_of_kind=_flag(fields, "last_of_kind"),
        last_tile=_flag(fields, "last_tile"),
        kong_related=_flag(fields, "kong_related"),
        seat_wind=_tile(fields.get("seat_wind", "E"), "seat_wind"),
        prevalent_wind=_tile(fields.get("prevalent_wind", "E"), "prevalent_wind"),
        flowers=_number(fields.get("flowers", 0), "flowers"),
    )
    return ScoreRecord(name_of(fields), hand, win)


def parse_shanten(line: bytes) -> ShantenRecord:
    """The hand of a line of a shanten file. Raises LineFault."""
    fields = document(line, LINE_BYTES_MAX)
    hand = Hand(_tiles(fields, "hand"), _melds(fields, "meld_list"))
    if "melds" in fields and _number(fields["melds"], "melds") != len(hand.melds):
        raise LineFault(f"melds is {fields['melds']}, and meld_list has {len(hand.melds)}")
    return ShantenRecord(name_of(fields), hand)


def _wanted(fields: dict[str, Any], name: str) -> Any:
    if name not in fields:
        raise LineFault(f"{name} is missing")
    return fields[name]


def _tiles(fields: dict[str, Any], name: str) -> tuple[TileIndex, ...]:
    listed = _wanted(fields, name)
    if not isinstance(listed, list):
        raise LineFault(f"{name} is no list")
    if len(listed) > _TILES_MAX:
        raise LineFault(f"{name} has {len(listed)} tiles")
    return tuple(_tile(one, name) for one in listed)


def _tile(value: Any, field: str) -> TileIndex:
    tile = parse_tile(value) if isinstance(value, str) else None
    if tile is None:
        raise LineFault(f"{field}: {_quoted(value)} is no tile")
    return tile


def _melds(fields: dict[str, Any], name: str) -> tuple[Set, ...]:
    listed = fields.get(name, [])
    if not isinstance(listed, list):
        raise LineFault(f"{name} is no list")
    return tuple(_meld(meld, name) for meld in listed)


def _meld(value: Any, name: str) -> Set:
    if not isinstance(value, dict):
        raise LineFault(f"{name}: {_quoted(value)} is no meld")
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in list(SetKind):
        raise LineFault(f"{name}: type is {_quoted(kind)}, not one of {', '.join(SetKind)}")
    tile = _tile(_wanted(value, "tile"), f"{name}: tile")
    return Set(SetKind(kind), tile, melded=True, concealed=_flag(value, "concealed"))


def _flag(fields: dict[str, Any], name: str) -> bool:
    value = fields.get(name, False)
    if not isinstance(value, bool):
        raise LineFault(f"{name} is neither true nor false")
    return value


def _number(value: Any, name: str) -> int:
    if not is_int(value):
        raise LineFault(f"{name} is no whole number")
    return value


def _quoted(value: Any) -> str:
    try:
        text = json.dumps(value)
    except (RecursionError, ValueError):
        return "a value"
    return text if len(text) <= _QUOTED_LENGTH else f"{text[:_QUOTED_LENGTH]}…"
