"""KMahjongg's layout files: what they say, and what can be wrong with them."""

from __future__ import annotations

import pytest

from libs.cli.layouts.file_fault import FileFault
from libs.cli.layouts.kmahjongg import parse_kmahjongg
from libs.rules.solitaire.catalogue import layout
from libs.rules.solitaire.layouts import Layout, Position
from tests.support.layout_files import OWN_LAYOUTS, V1_1, kmahjongg_v1_0, kmahjongg_v1_1

ROW = [Position(0, 0, 0), Position(2, 0, 0), Position(4, 0, 0), Position(6, 0, 0)]
HEAD = f"{V1_1}\nw4\nh2\nd1\n"


def fault_of(text: str) -> FileFault:
    """The fault of a file that is refused."""
    parsed = parse_kmahjongg("bad", text)
    assert isinstance(parsed, FileFault)
    return parsed


def layout_of(text: str) -> Layout:
    """The layout of a sound file."""
    parsed = parse_kmahjongg("good", text)
    assert isinstance(parsed, Layout), parsed
    return parsed


@pytest.mark.parametrize("name", ["sparrow", "nest"])
def test_both_versions_give_the_places_that_were_drawn(name: str) -> None:
    """1.0 has a fixed size, 1.1 brings its own."""
    read = layout_of((OWN_LAYOUTS / f"{name}.layout").read_text())

    assert set(read.tiles) == set(layout(name).tiles)


def test_where_lines_break_makes_no_difference() -> None:
    """All cells are one long line, comments and empty lines between them count for nothing."""
    drawn = HEAD + "12\n# here\n12\r\n\n43\n43\n"

    assert layout_of(drawn).tiles == (Position(0, 0, 0), Position(2, 0, 0))


def test_only_upper_left_quarters_count() -> None:
    """Files that draw the other quarters carelessly load, as they do in KMahjongg."""
    assert layout_of(HEAD + "1x12\n..32\n").tiles == (Position(0, 0, 0), Position(2, 0, 0))


@pytest.mark.parametrize(
    "header", ["", "kmahjongg-layout-v1.2", "kmahjongg-layout-v1.0 ", "[KMahjonggLayout]"]
)
def test_an_unknown_header_is_told(header: str) -> None:
    """The first line is one of two."""
    fault = fault_of(f"{header}\n....\n")

    assert fault.line == 1
    assert fault.text.startswith("unknown header")


def test_an_odd_tile_count_is_told() -> None:
    """KMahjongg itself would not notice."""
    assert fault_of(kmahjongg_v1_1(ROW[:3], 8, 2, 1)) == FileFault(
        7, "an odd number of tiles, 3: they leave in pairs"
    )


def test_overlapping_tiles_are_told_with_both_lines() -> None:
    """The second tile begins where the first still lies."""
    fault = fault_of(HEAD.replace("h2", "h4") + "12..\n4112\n.443\n....\n")

    assert fault == FileFault(6, "the tile at column 0.5, row 0.5 of level 0 overlaps that of line 5")


@pytest.mark.parametrize(("cells", "line"), [("12.1\n43..\n", 5), ("12..\n4312\n", 6)])
def test_a_tile_that_leaves_the_board_is_told(cells: str, line: int) -> None:
    """Its right and its lower half must be inside as well."""
    fault = fault_of(HEAD + cells)

    assert fault.line == line
    assert fault.text.endswith("of level 0 lies outside the grid")


def test_a_wrong_length_is_told_at_the_line_that_is_to_blame() -> None:
    """The first line that is not as wide as the board; the end where there is none."""
    rows = kmahjongg_v1_0(layout("sparrow").tiles).split("\n")
    short = "\n".join([*rows[:10], rows[10][:-1], *rows[11:]])
    missing = "\n".join(rows[:-2])

    assert fault_of(short) == FileFault(
        11, "31 cells in this line of a board 32 wide; 2,559 cells in all instead of 2,560"
    )
    assert fault_of(missing) == FileFault(81, "2,528 cells in all instead of 2,560")


@pytest.mark.parametrize(
    ("sizes", "fault"),
    [
        ("w4\nh2", FileFault(4, 'no depth: a line "d16", say')),
        ("w4\nh2\nd1\nw4", FileFault(5, "a second width")),
        ("w4\nhigh\nd1", FileFault(3, 'a line that begins with "h" gives the height: no number here')),
        ("w4\nh2\nd0", FileFault(4, "the depth is to be 1 to 16, not 0")),
        ("w9999\nh2\nd1", FileFault(2, "the width is to be 1 to 64, not 9999")),
        ("w4\nh2\nd1\n1212\nw4", FileFault(6, "the width comes after the first cells")),
    ],
)
def test_a_wrong_size_is_told(sizes: str, fault: FileFault) -> None:
    """Each of the three stands once, before the cells, within the largest board there is."""
    assert fault_of(f"{V1_1}\n{sizes}\n1212\n4343\n") == fault


def test_a_board_without_tiles_and_one_with_too_many_are_refused() -> None:
    """2 to 288."""
    crowd = [Position(2 * (i % 30), 2 * (i // 30), 0) for i in range(290)]

    assert fault_of(HEAD + "....\n....\n") == FileFault(6, "no tile at all")
    assert fault_of(kmahjongg_v1_1(crowd, 60, 20, 1)).text == "more than 288 tiles"
