"""GNOME Mahjongg's maps: what they say, and what can be wrong with them."""

from __future__ import annotations

import pytest

from libs.cli.layouts.file_fault import FileFault
from libs.cli.layouts.gnome import MAPS_MAX, parse_gnome
from libs.rules.solitaire.layouts import Layout, Position
from tests.support.layout_files import OWN_LAYOUTS

PAIR = '<tile x="0" y="0"/><tile x="1" y="0"/>'


def fault_of(text: str) -> FileFault:
    """The fault of a file that is refused."""
    parsed = parse_gnome(text)
    assert isinstance(parsed, FileFault)
    return parsed


def layouts_of(text: str) -> list[Layout]:
    """The layouts of a sound file."""
    parsed = parse_gnome(text)
    assert not isinstance(parsed, FileFault), parsed
    return parsed


def in_map(content: str) -> str:
    """A file with one map, whose content begins on line 3."""
    return f'<mahjongg>\n<map name="bad">\n{content}\n</map>\n</mahjongg>\n'


def test_every_element_places_its_tiles() -> None:
    """Blocks, columns, rows and tiles, in halves too; names in any case; a layer ends."""
    yard, step = layouts_of((OWN_LAYOUTS / "yard.map").read_text())

    assert (yard.name, yard.size, yard.levels) == ("Yard", 22, 3)
    assert {Position(1, 7, 0), Position(10, 4, 0), Position(4, 2, 1), Position(3, 2, 2)} <= set(yard.tiles)
    assert yard.tiles[-1] == Position(10, 7, 0)
    assert step.tiles == (Position(0, 0, 0), Position(2, 1, 0))


def test_a_layer_gives_its_level_unless_an_element_has_its_own() -> None:
    """As in GNOME's own parser."""
    layer = '<layer z="2"><tile x="0" y="0"/><tile x="0" y="0" z="1"/></layer>'

    assert layouts_of(in_map(layer))[0].tiles == (Position(0, 0, 2), Position(0, 0, 1))


@pytest.mark.parametrize(
    ("content", "line", "text"),
    [
        ('<tile x="0" y="0"/>', 2, "an odd number of tiles, 1: they leave in pairs"),
        ("", 2, "no tile at all"),
        (
            '<tile x="0" y="0"/>\n<tile x="0.5" y="0.5"/>',
            4,
            "the tile at column 0.5, row 0.5 of level 0 overlaps that of line 3",
        ),
        ('<tile x="-1" y="0"/>', 3, "the tile at column -1, row 0 of level 0 lies outside the grid"),
        ('<tile x="31.5" y="0"/>', 3, "the tile at column 31.5, row 0 of level 0 lies outside the grid"),
        ('<tile x="0" y="0" z="16"/>', 3, "more than 16 levels"),
        ('\n<block left="0" right="9999" top="0" bottom="9999"/>', 4, "more than 288 tiles"),
        ('\n<circle x="0"/>', 4, "unknown element <circle>"),
        ('<tile x="0" y="0" w="1"/>', 3, "<tile> has no attribute 'w'"),
        ('<tile x="0" X="0" y="0"/>', 3, "<tile> has an attribute twice"),
        ('<tile x="0"/>', 3, "<tile> lacks its attribute 'y'"),
        ('<tile x="0.25" y="0"/>', 3, 'x="0.25" is no number of tiles or half tiles'),
        ('<tile x="1e3" y="0"/>', 3, 'x="1e3" is no number of tiles or half tiles'),
        ('<tile x="0" y="0" z="0.5"/>', 3, 'z="0.5" is no level'),
        ('<row y="0" left="3" right="1"/>', 3, "<row> ends before it begins"),
        ('<layer z="1"><layer z="2"/></layer>', 3, "<layer> may not stand in <layer>"),
        ("words", 3, "text between the elements"),
        ("<tile", 4, "broken XML: not well-formed (invalid token)"),
        ("</layer>", 3, "broken XML: mismatched tag"),
        ("&bomb;", 3, "broken XML: undefined entity"),
    ],
)
def test_a_fault_is_told_with_its_line(content: str, line: int, text: str) -> None:
    """One fault, the first that is met."""
    fault = fault_of(in_map(content))

    assert fault == FileFault(line, text)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<maps/>", FileFault(1, "unknown element <maps>")),
        ("<map name='a'/>", FileFault(1, "<map> may not stand outside <mahjongg>")),
        ("<mahjongg>\n</mahjongg>\n", FileFault(3, "no map")),
        ("<mahjongg>\n<map/></mahjongg>", FileFault(2, "<map> lacks its attribute 'name'")),
        ("<mahjongg>\n", FileFault(2, "broken XML: no element found")),
    ],
)
def test_a_document_that_is_no_list_of_maps_is_refused(text: str, fault: FileFault) -> None:
    """Its root is <mahjongg>, and it holds at least one map with a name."""
    assert fault_of(text) == fault


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE m [\n<!ENTITY a "ha">\n<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">\n]>',
        '<!DOCTYPE m [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE mahjongg SYSTEM "http://127.0.0.1/m.dtd">',
    ],
)
def test_nothing_is_declared_expanded_or_fetched(declaration: str) -> None:
    """A document type is refused where it begins, before any of its entities."""
    fault = fault_of(f'<?xml version="1.0"?>\n{declaration}\n{in_map("&b;")}')

    assert fault.text == "a document type, which could declare entities, is not read"
    assert 2 <= fault.line <= 2 + declaration.count("\n")


def test_one_bad_map_refuses_the_whole_file() -> None:
    """A file loads whole or not at all."""
    fault = fault_of(f'<mahjongg>\n<map name="a">{PAIR}</map>\n<map name="b"/>\n</mahjongg>')

    assert fault == FileFault(3, "no tile at all")


def test_maps_are_counted() -> None:
    """A small file cannot ask for endless work."""
    maps = f'<map name="a">{PAIR}</map>\n' * (MAPS_MAX + 1)

    assert fault_of(f"<mahjongg>\n{maps}</mahjongg>") == FileFault(MAPS_MAX + 2, "more than 100 maps")
