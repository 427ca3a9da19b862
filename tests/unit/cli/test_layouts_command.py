"""`sparrow layouts import FILE` and `sparrow levels show N`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from libs.cli.layouts import command
from libs.cli.layouts.command import solvable
from libs.cli.layouts.reading import FILE_BYTES_MAX, ReadFile, parse
from libs.cli.levels import app as levels_app
from libs.rules.solitaire.board import Pairing
from libs.rules.solitaire.catalogue import layout
from libs.rules.solitaire.layouts import find_faults
from libs.rules.solitaire.levels import recipe
from tests.support.layout_files import FOREIGN_LAYOUTS, OWN_LAYOUTS
from tests.unit.rules.solitaire.small_boards import STACK_OF_2, TWO_STACKS

FILES = [
    file
    for folder in (OWN_LAYOUTS, FOREIGN_LAYOUTS)
    for file in (*sorted(folder.glob("*.layout")), *sorted(folder.glob("*.map")))
]
"""Ours, and those of other programs where they are at hand beside the repository."""


def import_(file: Path, *options: str) -> tuple[int, str, str]:
    """Exit code, output and errors of an import."""
    done = CliRunner().invoke(command.app, ["import", str(file), *options])
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.exit_code, done.stdout, done.stderr


def test_a_sound_file_is_drawn_counted_and_judged() -> None:
    """Level numbers stand on the tiles; both pairings are answered."""
    code, output, errors = import_(OWN_LAYOUTS / "sparrow.layout")

    assert (code, errors) == (0, "")
    assert "sparrow  34 tiles, 4 levels" in output
    assert "▌ 4 " in output
    assert "Boards of it can be solved: yes both tiles free, yes with lifting" in output


def test_json_holds_every_map_with_its_tiles() -> None:
    """Half-tile units, as everywhere."""
    code, output, _ = import_(OWN_LAYOUTS / "yard.map", "--json")
    told = json.loads(output)

    assert code == 0
    assert told["format"] == "gnome"
    assert [(each["name"], each["tile_count"], each["levels"]) for each in told["layouts"]] == [
        ("Yard", 22, 3),
        ("Step", 2, 1),
    ]
    assert told["layouts"][1]["tiles"] == [[0, 0, 0], [2, 1, 0]]
    assert told["layouts"][1]["solvable"] == {"both_free": True, "lift": True}


def test_a_layout_whose_boards_nobody_can_solve_is_told() -> None:
    """Two tiles, one on the other: only lifting frees the second. Two such stacks are no trouble."""
    assert [solvable(STACK_OF_2, pairing) for pairing in (Pairing.BOTH_FREE, Pairing.LIFT)] == [False, True]
    assert solvable(TWO_STACKS, Pairing.BOTH_FREE)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "line 1: unknown header"),
        (b"\x89PNG\r\n", "line 1: a byte that is no UTF-8 text"),
        (b"<mahjongg>\n\xff", "line 2: a byte that is no UTF-8 text"),
        (b"kmahjongg-layout-v9\n", "line 1: unknown header"),
        (
            b"<mahjongg>\n<map name='a'>\n<tile x='0' y='0'/></map></mahjongg>",
            "line 2: an odd number of tiles",
        ),
        (b"<mahjongg>\n<[red]/></mahjongg>", "line 2: broken XML"),
    ],
)
def test_a_malformed_file_is_one_line_and_loads_nothing(tmp_path: Path, content: bytes, told: str) -> None:
    """File, line and fault; exit code 1, and it ends: no default in its place, no second try."""
    file = tmp_path / "[bold]bad.layout"
    file.write_bytes(content)

    code, output, errors = import_(file)

    assert (code, output) == (1, "")
    assert "[bold]bad.layout" in errors
    assert told in errors
    assert errors.count("\n") == 1


def test_large_files_and_endless_ones_are_refused_unread(tmp_path: Path) -> None:
    """100 MB, and a device that never ends."""
    large = tmp_path / "large.layout"
    with large.open("wb") as file:
        file.truncate(100_000_000)

    for path in (large, Path("/dev/zero")):
        code, _, errors = import_(path)
        assert code == 1
        assert f"more than {FILE_BYTES_MAX:,} bytes" in errors


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    """Missing, or a folder."""
    assert "No such file" in import_(tmp_path / "none")[2]
    assert "Is a directory" in import_(tmp_path)[2]


@pytest.mark.parametrize("file", [pytest.param(file, id=f"{file.parent.name}-{file.name}") for file in FILES])
def test_sound_files_load_and_their_boards_can_be_solved(file: Path) -> None:
    """Whole, and with both tiles free."""
    read = parse(file.stem, file.read_bytes())

    assert isinstance(read, ReadFile)
    assert all(find_faults(each.tiles) == () and solvable(each, Pairing.BOTH_FREE) for each in read.layouts)


def test_a_level_is_drawn_without_a_running_sparrow(tmp_path: Path) -> None:
    """In the terminal, as SVG, and as JSON."""
    drawing = tmp_path / "level.svg"
    shown = CliRunner().invoke(levels_app, ["show", "120", "--svg", str(drawing)])
    told = CliRunner().invoke(levels_app, ["show", "120", "--json"])
    board = layout(recipe(120).layout_name)

    assert shown.exit_code == told.exit_code == 0
    assert f"Level 120 HARD {board.name}: {board.size} tiles" in shown.stdout
    assert drawing.read_text().count("<rect") == 1 + 2 * board.size
    assert json.loads(told.stdout)["tiles"] == [list(tile) for tile in board.tiles]


def test_a_file_name_that_is_no_text_is_shown_as_far_as_it_is(tmp_path: Path) -> None:
    """Bytes of a name that no encoding explains, in the tables and in JSON."""
    file = tmp_path / os.fsdecode(b"n\xffst.layout")
    file.write_bytes((OWN_LAYOUTS / "nest.layout").read_bytes())

    assert json.loads(import_(file, "--json")[1])["layouts"][0]["name"] == "n\ufffdst"
    assert import_(file)[0] == 0


def test_a_picture_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    """The folder named like a style of text is not there."""
    done = CliRunner().invoke(levels_app, ["show", "1", "--svg", str(tmp_path / "[red]" / "a.svg")])

    assert done.exit_code == 1
    assert "[red]/a.svg: No such file or directory" in done.stderr


def test_a_number_that_is_no_level_is_refused() -> None:
    """There are 11,000."""
    assert CliRunner().invoke(levels_app, ["show", "11001"]).exit_code == 2
