"""Tiles as characters: every one its own, as wide as the others beside it."""

from __future__ import annotations

import pytest
from rich.style import Style

from libs.cli.mcr.tiles import GROUND, MARKED_GROUND, Faces, backs_text, kinds_text, name, tiles_text
from libs.rules.mcr.tiles import ALL_TILES
from libs.rules.mcr.wall import TILES, TileId

EVERY = tuple(map(TileId, range(TILES)))


def test_copies_share_a_name_and_flowers_have_their_own() -> None:
    """34 names of four tiles each, eight of one."""
    names = list(map(name, EVERY))

    assert sorted(map(names.count, set(names))) == [1] * 8 + [4] * 34
    assert (names[0], names[107], names[135], names[136], names[143]) == ("1m", "9s", "P", "Fl1", "Se4")


@pytest.mark.parametrize(("faces", "columns"), [(Faces.NOTATION, 3), (Faces.DRAWN, 2)])
def test_tiles_are_of_one_width_and_told_apart(faces: Faces, columns: int) -> None:
    """So that hands stand in columns; flowers in notation are one column wider."""
    shown = {kinds_text((kind,), faces=faces).plain for kind in ALL_TILES}
    flowers = {tiles_text((tile,), faces=faces).plain for tile in EVERY[-8:]}

    assert len(shown | flowers) == 42
    assert {kinds_text((kind,), faces=faces).cell_len for kind in ALL_TILES} == {columns}
    assert backs_text(1, faces).cell_len == columns
    assert {tiles_text((tile,), faces=faces).cell_len for tile in EVERY[-8:]} <= {columns, 4}


def test_a_marked_tile_stands_out() -> None:
    """The one copy, not the others of its kind."""
    shown = tiles_text(EVERY[:4], {EVERY[2]})
    styles = [span.style for span in shown.spans if isinstance(span.style, Style)]
    grounds = [style.bgcolor.name for style in styles if style.bgcolor is not None]

    assert grounds == [*[GROUND] * 4, *[MARKED_GROUND] * 2, *[GROUND] * 2]
