"""`sparrow solve FILE.jsonl`: exact answers, and a bad line is told without stopping the others."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from libs.cli.line_answers import BAD_LINES, UNREADABLE
from libs.cli.line_file import ID_LENGTH_MAX, LineFault
from libs.cli.solve.command import solve
from libs.cli.solve.question import LINE_BYTES_MAX, parse
from libs.rules.solitaire.board import Pairing
from tests.unit.rules.solitaire.small_boards import OWN_DATA

ANSWERED = ["id", "solvable", "free_pairs", "preserving_pairs", "crucial", "certificate"]
ROW: dict[str, Any] = {
    "id": "row",
    "layout": [[0, 0, 0], [2, 0, 0], [4, 0, 0], [6, 0, 0]],
    "faces": ["1m", "2p", "2p", "1m"],
    "present": [0, 1, 2, 3],
    "match": "exact",
}

program = typer.Typer()
program.command()(solve)


def solved(text: str | bytes, *options: str) -> tuple[int, list[dict[str, Any]]]:
    """Exit code, and the answers to what stands on the input."""
    done = CliRunner().invoke(program, ["-", *options], input=text)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.exit_code, [json.loads(line) for line in done.stdout.splitlines()]


def changed(**fields: Any) -> str:
    """The row with other fields; None takes one away."""
    return json.dumps({name: value for name, value in (ROW | fields).items() if value is not None})


@pytest.mark.parametrize("name", ["positions.jsonl", "lift.jsonl"])
def test_recorded_positions_are_answered_as_recorded(name: str) -> None:
    """In every field but the certificate, which the kernel's own tests replay."""
    done = CliRunner().invoke(program, [str(OWN_DATA / name)])
    wanted = [json.loads(line) for line in (OWN_DATA / name).read_text().splitlines()]
    answers = [json.loads(line) for line in done.stdout.splitlines()]

    assert done.exit_code == 0
    assert [list(answer) for answer in answers] == [ANSWERED] * len(wanted)
    for answer, record in zip(answers, wanted, strict=True):
        told = {field: answer[field] for field in ANSWERED[:-1]}
        assert told == {field: record[field] for field in ANSWERED[:-1]}
        assert (answer["certificate"] is not None) == record["solvable"]


def test_the_row_is_answered_in_full() -> None:
    """Both pairings; without a word both tiles must be free."""
    code, (both_free, lift) = solved(f"{changed()}\n{changed(id=7, pairing='lift')}")

    assert code == 0
    assert both_free == {
        "id": "row",
        "solvable": True,
        "free_pairs": [[0, 3]],
        "preserving_pairs": [[0, 3]],
        "crucial": [0, 3],
        "certificate": [[0, 3], [1, 2]],
    }
    assert lift["id"] == 7
    assert parse(changed(pairing="lift").encode()).pairing is Pairing.LIFT


def test_a_cleared_board_is_solved_by_doing_nothing() -> None:
    """And has no pair at all."""
    _, (answer,) = solved(changed(present=[], id=None))

    assert answer == dict(zip(ANSWERED, [None, True, [], [], None, []], strict=True))


def test_what_the_limit_does_not_decide_is_null() -> None:
    """Available pairs are told all the same."""
    line = (OWN_DATA / "lift.jsonl").read_text().splitlines()[0]
    code, (answer,) = solved(line, "--nodes", "0")
    record = json.loads(line)

    assert code == 0
    assert answer == dict.fromkeys(ANSWERED) | {"id": record["id"], "free_pairs": record["free_pairs"]}


BAD = {
    "nothing but a bracket": "{",
    "no JSON": "solve this",
    "no object": "[1, 2]",
    "a number": "17",
    "nested too deeply": '{"layout": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "a number with too many digits": '{"id": ' + "9" * 5_000 + "}",
    "a byte order mark": "\ufeff" + changed(),
    "no layout": changed(layout=None),
    "no faces": changed(faces=None),
    "no present": changed(present=None),
    "no match": changed(match=None),
    "an id that is a list": changed(id=[1]),
    "an id that is true": changed(id=True),
    "an id too long": changed(id="x" * (ID_LENGTH_MAX + 1)),
    "an id beyond 64 bits": changed(id=1 << 64),
    "an empty layout": changed(layout=[], faces=[], present=[]),
    "an odd layout": changed(layout=[[0, 0, 0]], faces=["1m"], present=[0]),
    "a layout that is a text": changed(layout="turtle"),
    "a layout of too many tiles": changed(layout=[[0, 0, 0]] * 290),
    "tiles of two numbers": changed(layout=[[0, 0]] * 4),
    "tiles of fractions": changed(layout=[[0.5, 0, 0]] * 4),
    "tiles of truths": changed(layout=[[True, False, False]] * 4),
    "overlapping tiles": changed(layout=[[0, 0, 0], [1, 1, 0], [4, 0, 0], [6, 0, 0]]),
    "a tile outside": changed(layout=[[0, 0, 0], [2, 0, 0], [4, 0, 0], [63, 0, 0]]),
    "a tile far outside": changed(layout=[[0, 0, 0], [2, 0, 0], [4, 0, 0], [1 << 70, 0, 0]]),
    "a tile below": changed(layout=[[0, 0, -1], [2, 0, 0], [4, 0, 0], [6, 0, 0]]),
    "too many levels": changed(layout=[[0, 0, 16], [2, 0, 0], [4, 0, 0], [6, 0, 0]]),
    "faces for other tiles": changed(faces=["1m", "1m"]),
    "an unknown face": changed(faces=["1m", "2p", "2p", "10m"]),
    "a face that is a number": changed(faces=["1m", "2p", "2p", 1]),
    "faces in an object": changed(faces={"0": "1m"}),
    "a tile that is not there": changed(present=[0, 4]),
    "a tile below zero": changed(present=[-1]),
    "a tile twice": changed(present=[0, 0]),
    "a tile that is true": changed(present=[True]),
    "more tiles than there are": changed(present=[0, 1, 2, 3, 0]),
    "present as a number": changed(present=15),
    "an unknown match": changed(match="any"),
    "a match that is a list": changed(match=["exact"]),
    "an unknown pairing": changed(pairing="both"),
    "a line too long": changed(more="x" * LINE_BYTES_MAX),
}


@pytest.mark.parametrize("line", BAD.values(), ids=BAD)
def test_a_bad_line_is_told_with_its_number_and_the_others_are_answered(line: str) -> None:
    """One sentence that a terminal can show; the exit code tells too."""
    code, (before, fault, after) = solved(f"{changed()}\n\n{line}\n{changed()}\n")

    assert code == BAD_LINES
    assert before == after
    assert list(fault) == ["line", "error"]
    assert fault["line"] == 3
    assert fault["error"]
    assert len(fault["error"]) < 200


def test_bytes_that_are_no_text_are_a_bad_line() -> None:
    """At the byte where it ends to be text."""
    code, (fault, answer) = solved(b'{"id": "\xff"}\n' + changed().encode())

    assert code == BAD_LINES
    assert fault == {"line": 1, "error": "byte 9 is no UTF-8"}
    assert answer["solvable"]


def test_a_line_of_the_greatest_length_is_read() -> None:
    """With any end, and at the end of the file."""
    line = changed().ljust(LINE_BYTES_MAX)

    for text in (f"{line}\n{line}", f"{line[:-1]}\r\n{line}\n"):
        code, answers = solved(text)
        assert (code, len(answers)) == (0, 2)
    assert solved(f"{line} \r rest\n")[0] == BAD_LINES


def test_a_name_that_is_no_text_of_a_terminal_comes_back() -> None:
    """Escaped, also half a character."""
    line = '{"id": "\\ud800\\u001b[31m", ' + changed(id=None)[1:]

    assert solved(line)[1][0]["id"] == "\ud800\x1b[31m"


def test_lines_changed_anyhow_are_answered_or_told() -> None:
    """A thousand random changes of recorded lines: nothing but a LineFault ever comes out."""
    random = Random(5)
    recorded = [line.encode() for line in (OWN_DATA / "lift.jsonl").read_text().splitlines()[:20]]
    faults = 0
    for _ in range(1_000):
        line = bytearray(random.choice(recorded))
        for _ in range(random.randint(1, 4)):
            at = random.randrange(len(line))
            match random.randrange(4):
                case 0:
                    line[at] = random.randrange(256)
                case 1:
                    del line[at : at + random.randint(1, 30)]
                case 2:
                    line[at:at] = random.choice(
                        [b"9", b"[", b"}", b",", b'"', b"-", b"null", b"1e9", b"\\u00"]
                    )
                case _:
                    line[at:] = random.choice(recorded)[at:]
        try:
            parse(bytes(line))
        except LineFault:
            faults += 1
    assert 100 < faults < 1_000


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_a_file_that_cannot_be_read_is_one_line(name: str, tmp_path: Path) -> None:
    """With an exit code of its own."""
    done = CliRunner().invoke(program, [str(tmp_path / name)])

    assert done.exit_code == UNREADABLE
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
