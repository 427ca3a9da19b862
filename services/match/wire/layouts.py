"""Layouts and deals on the wire. Layouts are interned: a layout's tables are computed once per process."""

from __future__ import annotations

from functools import lru_cache

from libs.pb.sparrow.solitaire.v1 import solitaire_pb2, solitaire_service_pb2
from libs.rules.solitaire.catalogue import layout, layout_names
from libs.rules.solitaire.layouts import Layout, Position
from libs.rules.tiles import Face
from services.match.commands import Deal

PREFIX = "layouts/"
LAYOUTS_CACHED = 256


def layout_from_wire(message: solitaire_pb2.Layout) -> Layout:
    """The layout; it comes from the catalogue or an event of ours, so its places are not judged again."""
    places = tuple((tile.x, tile.y, tile.z) for tile in message.tiles)
    return _interned(message.name.removeprefix(PREFIX), places)


@lru_cache(maxsize=LAYOUTS_CACHED)
def _interned(name: str, places: tuple[tuple[int, int, int], ...]) -> Layout:
    if name in layout_names() and layout(name).tiles == places:
        return layout(name)
    return Layout(name, tuple(Position(*place) for place in places))


def warm_up() -> None:
    """Compute the tables of every layout of the catalogue: a few ms each, not while a player waits."""
    for name in layout_names():
        _ = layout(name).masks


@lru_cache(maxsize=LAYOUTS_CACHED)
def _as_message(name: str, title: str, tiles: tuple[Position, ...]) -> solitaire_pb2.Layout:
    places = [solitaire_pb2.TilePosition(x=tile.x, y=tile.y, z=tile.z) for tile in tiles]
    return solitaire_pb2.Layout(name=PREFIX + name, title=title, tiles=places)


def layout_to_wire(places: Layout, title: str) -> solitaire_pb2.Layout:
    """The message of a layout; shared, so only to be copied from."""
    return _as_message(places.name, title, places.tiles)


def deal_from_wire(message: solitaire_service_pb2.DealLevelResponse) -> Deal:
    """The deal without its certificate: a match never needs it."""
    return Deal(
        level=message.level,
        catalogue_version=message.catalogue_version,
        hard=message.hard,
        layout=layout_from_wire(message.layout),
        layout_title=message.layout.title,
        faces=tuple(Face(face) for face in message.faces),
    )
