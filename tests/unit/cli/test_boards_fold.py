"""`sparrow boards fold FILE.jsonl`: exact boards, and a bad line is told without stopping the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from libs.cli.boards_fold.command import BAD_LINES, UNREADABLE, fold

GOLDEN = Path(__file__).parents[2] / "data" / "ledger" / "boards.jsonl"
GIVEN: dict[str, Any] = {
    "id": "t1",
    "account": "ana",
    "points": 20,
    "reason": "ARENA",
    "occurred_at": "2026-03-29T00:30:00Z",
    "posted_at": "2026-03-29T00:30:01Z",
}
BACK = GIVEN | {
    "id": "t2",
    "points": -20,
    "reason": "REVERSAL",
    "reverses": "t1",
    "posted_at": "2026-03-29T09:00:00+03:00",
}
AS_OF = "2026-03-29T20:59:59.999999Z"

program = typer.Typer()
program.command()(fold)


def case(*transfers: dict[str, Any], as_of: str = AS_OF, **fields: Any) -> str:
    """Return a line with one question."""
    return json.dumps({"id": "c", "transfers": transfers, "boards": [{"as_of": as_of}]} | fields)


def folded(text: str) -> tuple[int, list[dict[str, Any]]]:
    """Exit code, and what is told of each line on the input."""
    done = CliRunner().invoke(program, ["-", "--json"], input=text)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.exit_code, [json.loads(line) for line in done.stdout.splitlines()]


def test_golden_cases_come_out_exact() -> None:
    """A line a case, in the file's order: id, and the boards of each instant."""
    done = CliRunner().invoke(program, [str(GOLDEN), "--json"])
    wanted = [json.loads(line) for line in GOLDEN.read_text().splitlines()]

    assert done.exit_code == 0
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert told == [{"id": each["id"], "boards": each["boards"]} for each in wanted]
    assert [list(shown) for shown in told[0]["boards"]] == [["as_of", "amr", "weekly", "daily"]] * len(
        told[0]["boards"]
    )


def test_questions_are_answered_in_their_order_whatever_the_order_of_transfers() -> None:
    """Posted later and written first; the later instant asked first."""
    later, earlier = AS_OF, "2026-03-29T05:00:00Z"
    text = case(BACK, GIVEN, boards=[{"as_of": later}, {"as_of": earlier}, {"as_of": later}])

    (told,) = folded(text)[1]
    assert [(shown["as_of"], shown["daily"]) for shown in told["boards"]] == [
        (later, []),
        (earlier, [[1, "ana", 20]]),
        (later, []),
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    {
        "no JSON": ("{", "no JSON"),
        "no object": ("[]", "no JSON object"),
        "an id of another kind": (case(id=[1]), "neither a text nor a number"),
        "no transfers": (json.dumps({"boards": []}), "transfers is missing"),
        "a transfer that is none": (case(7), "transfer 1 is no JSON object"),  # type: ignore[arg-type]
        "no points": (case(GIVEN | {"points": 0}), "transfer 1: points"),
        "points that are true": (case(GIVEN | {"points": True}), "transfer 1: points"),
        "points past 64 bits": (case(GIVEN | {"points": 1 << 63}), "transfer 1: points"),
        "an instant of no zone": (case(GIVEN | {"posted_at": "2026-03-29T00:30"}), "posted_at has no offset"),
        "an instant long ago": (case(GIVEN | {"occurred_at": "0001-01-01T00:00Z"}), "outside the calendar"),
        "a question that is none": (case(GIVEN, as_of="noon"), "board 1: as_of is no instant"),
        "a reversal of nothing": (case(BACK), "takes back t1, which is no transfer"),
        "a reversal of more": (case(GIVEN, BACK | {"points": -21}), "not take back exactly"),
        "more than a day holds": (case(GIVEN | {"points": 1 << 60}), "out of the range"),
    }.values(),
)  # fmt: skip
def test_a_bad_line_is_told_with_its_number_and_the_others_are_answered(line: str, words: str) -> None:
    """An error object instead of the boards; exit code 1."""
    exit_code, told = folded(f"{case(GIVEN)}\n\n{line}\n{case(GIVEN)}\n")

    assert exit_code == BAD_LINES
    assert told[1]["line"] == 3
    assert words in told[1]["error"]
    assert [told[0], told[2]] == [folded(case(GIVEN))[1][0]] * 2


def test_without_json_a_case_is_a_table() -> None:
    """The instant above, the three boards side by side; a fault is a line."""
    done = CliRunner().invoke(program, ["-"], input=f"{case(GIVEN)}\n{{\n")

    assert f"c  as of {AS_OF}" in done.stdout
    assert "AMR" in done.stdout
    assert done.stdout.count("ana") == 3
    assert "✗ line 2: no JSON" in done.stdout


def test_a_file_that_is_not_there_is_told() -> None:
    """One line, exit code 2."""
    assert CliRunner().invoke(program, ["/nowhere/boards.jsonl"]).exit_code == UNREADABLE
