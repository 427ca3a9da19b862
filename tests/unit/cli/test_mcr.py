"""`sparrow mcr`: files of hands, and one hand explained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from libs.cli.line_answers import BAD_LINES, UNREADABLE
from libs.cli.mcr.command import NOT_READ, app
from libs.rules.mcr.fan_names import NAMES, Language, fan_name
from tests.support.mcr_hands import DATA

HAND: dict[str, Any] = {
    "id": "one",
    "concealed": ["1m", "2m", "3m", "5p", "5p", "7s", "8s"],
    "melds": [
        {"type": "pung", "tile": "E", "concealed": False, "from": 2},
        {"type": "kong", "tile": "C", "concealed": True, "from": 0},
    ],
    "win_tile": "9s",
}
READY: dict[str, Any] = {
    "id": 7,
    "hand": ["1m", "1m", "5p", "6p"],
    "melds": 3,
    "meld_list": [{"type": "chow", "tile": start} for start in ("1s", "4s", "7s")],
}


def run(*arguments: str, text: str | bytes = "") -> tuple[int, str, str]:
    """Exit code, output and what was said on the side."""
    done = CliRunner().invoke(app, list(arguments), input=text, env={"COLUMNS": "110"})
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.exit_code, done.stdout, done.stderr


def answers(command: str, *lines: dict[str, Any] | str) -> tuple[int, list[dict[str, Any]]]:
    """What is said about lines on the input."""
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    code, told, _ = run(command, "-", text=text)
    return code, [json.loads(line) for line in told.splitlines()]


def recorded(name: str, step: int) -> list[dict[str, Any]]:
    """Every so many lines of a file; the rules' own tests run all of them."""
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()[::step]]


def test_recorded_hands_are_scored_as_recorded(tmp_path: Path) -> None:
    """Outcome and total of each line of a file, in its order."""
    wanted = recorded("hands.jsonl", 12)
    (tmp_path / "hands.jsonl").write_text("\n".join(map(json.dumps, wanted)))
    code, told, _ = run("score", str(tmp_path / "hands.jsonl"))
    found = [json.loads(line) for line in told.splitlines()]

    assert code == 0
    assert [(one["id"], one["outcome"], one["total_without_flowers"]) for one in found] == [
        (one["id"], one["expect"], one["total_without_flowers"]) for one in wanted
    ]
    assert {one["decomposition"] is None for one in found if one["outcome"] == "not_winning"} == {True}


def test_recorded_distances_are_counted_as_recorded() -> None:
    """Every shape, the least of them, and the waits of ready hands only."""
    wanted = recorded("shanten.jsonl", 4)
    code, found = answers("shanten", *wanted)

    assert code == 0
    for one, right in zip(found, wanted, strict=True):
        assert one["shanten"] == right["shanten"]
        assert sorted(one.get("waits", "-")) == sorted(right.get("waits", "-"))


def test_a_hand_is_answered_in_full() -> None:
    """Sets as the file writes melds; the index of the set that the last tile completed; flowers apart."""
    code, (told,) = answers("score", HAND | {"flowers": 2})

    assert code == 0
    assert told == {
        "id": "one",
        "outcome": "win",
        "total_without_flowers": 14,
        "fans": {
            "All Types": 1,
            "Dragon Pung": 1,
            "Prevalent Wind": 1,
            "Seat Wind": 1,
            "Concealed Kong": 1,
            "Flower Tiles": 2,
        },
        "decomposition": {
            "shape": "regular",
            "sets": [
                {"type": "pung", "tile": "E", "melded": True, "concealed": False},
                {"type": "kong", "tile": "C", "melded": True, "concealed": True},
                {"type": "chow", "tile": "1m", "melded": False, "concealed": True},
                {"type": "chow", "tile": "7s", "melded": False, "concealed": True},
            ],
            "pair": "5p",
            "knitted": [],
            "completed": 3,
        },
    }


def test_a_hand_that_is_not_complete_has_no_total() -> None:
    """And no fans, and no decomposition."""
    _, (told,) = answers("score", HAND | {"win_tile": "1p"})

    assert told == {
        "id": "one",
        "outcome": "not_winning",
        "total_without_flowers": None,
        "fans": {},
        "decomposition": None,
    }


def test_a_ready_hand_is_answered_with_its_waits() -> None:
    """Others have none."""
    far = READY | {"id": None, "hand": ["1m", "9m", "5p", "E"]}
    code, told = answers("shanten", READY, far)

    assert code == 0
    assert told == [
        {"id": 7, "shanten": {"regular": 0, "min": 0}, "waits": ["4p", "7p"]},
        {"id": None, "shanten": {"regular": 2, "min": 2}},
    ]


FAULTS: dict[str, dict[str, Any] | str] = {
    "no JSON": "{",
    "no JSON object": "[]",
    "win_tile is missing": {name: value for name, value in HAND.items() if name != "win_tile"},
    "'10m'": HAND | {"win_tile": "10m"},
    "concealed is no list": HAND | {"concealed": "1m"},
    "concealed has 15 tiles": HAND | {"concealed": ["1m"] * 15},
    "type is": HAND | {"melds": [{"type": "quad", "tile": "1m"}]},
    "no meld": HAND | {"melds": ["E"]},
    "neither true nor false": HAND | {"self_drawn": 1},
    "flowers is no whole number": HAND | {"flowers": 1.5},
    "13 tiles are needed": HAND | {"concealed": HAND["concealed"][1:]},
    "robbed": HAND | {"win_tile": "2m", "kong_related": True},
    "id is neither": HAND | {"id": []},
}


@pytest.mark.parametrize(("said", "line"), FAULTS.items())
def test_a_bad_line_is_told_with_its_number_and_stops_nothing(said: str, line: dict[str, Any] | str) -> None:
    """The lines before and after it are answered."""
    code, (first, fault, last) = answers("score", HAND, line, HAND)

    assert code == BAD_LINES
    assert first == last
    assert fault["line"] == 2
    assert said.strip("'") in fault["error"]


def test_a_bad_line_of_distances_is_told_as_well() -> None:
    """Its number of melds must be true, and its tiles a hand."""
    code, told = answers("shanten", READY | {"melds": 2}, READY | {"hand": ["1m"]}, READY)

    assert code == BAD_LINES
    assert [one.get("line") for one in told] == [1, 2, None]


def test_a_file_that_is_not_there_is_told() -> None:
    """On one line, with another exit code."""
    code, told, said = run("score", "/nowhere/hands.jsonl")

    assert (code, told) == (UNREADABLE, "")
    assert "No such file" in said


def test_a_profile_changes_the_total() -> None:
    """`mil` unless another is asked for."""
    line = json.dumps(
        HAND
        | {
            "concealed": ["2p", "3p", "5p", "5p", "7s", "8s", "9s"],
            "win_tile": "4p",
            "melds": [{"type": "kong", "tile": one, "concealed": True} for one in ("E", "C")],
        }
    )
    usual = json.loads(run("score", "-", text=line)[1])["total_without_flowers"]
    book = json.loads(run("score", "-", "--profile", "wmo", text=line)[1])["total_without_flowers"]

    assert book - usual == 2


def test_a_hand_is_explained_with_what_counts_and_what_does_not() -> None:
    """Tiles, total, reading, fans with numbers, and the fans instead of which others count."""
    code, told, _ = run("explain", "[123m][EEEE,1]55p789sFF5p|ES1000|2")

    assert code == 0
    assert "A win of 12 points: 10 and 2 for flowers." in told
    assert "Read as regular: 123m EEEE 555p 789s FF." in told
    assert "All Types" in told
    assert "Prevalent Wind (60) is counted" in told


def test_the_explanation_for_programs_says_the_same() -> None:
    """Numbers, points, sets and reasons."""
    told = json.loads(run("explain", "1122233334444s2s", "--json")[1])

    assert (told["outcome"], told["total"]) == ("win", 88)
    assert {
        "number": 14,
        "title": "Quadruple Chow",
        "names": {"en": "Quadruple Chow", "zh": "一色四同顺", "fa": NAMES[14].persian},
        "points": 48,
        "sets": [0, 1, 2, 3],
    } in told["fans"]
    assert {one["because"] for one in told["excluded"] if one["number"] == 64} == {
        "Quadruple Chow (14) is counted"
    }
    assert told["shanten"]["regular"] == 0


@pytest.mark.parametrize("language", Language)
def test_fans_are_told_in_the_language_that_is_asked_for(language: Language) -> None:
    """Those that count and those that do not, and the fans instead."""
    code, told, _ = run("explain", "[EEE,1]123m55p789sFFF|EE0000|1", "--lang", language)

    assert code == 0
    for number in (52, 59, 60, 61, 81):
        assert fan_name(number, language) in told
    assert f"{fan_name(60, language)} (60)" in told
    assert "It waited for 5pF." in told


def test_under_eight_points_is_no_win() -> None:
    """Flowers do not help."""
    assert "it may not be declared" in run("explain", "[EEE,1]123m123p99s78s9s|SW0000|8")[1]


def test_a_hand_of_thirteen_is_told_what_it_waits_for() -> None:
    """Or how far it is."""
    assert "Ready: waits for 36s." in run("explain", "123m456p789sEE45s")[1]
    assert "Shanten 2: 3 tiles from complete (thirteen orphans)." in run("explain", "119m99p99sESWNCF")[1]
    assert "The last tile does not complete it." in run("explain", "123m456p789sEE45s1s")[1]


@pytest.mark.parametrize("hand", ["123", "[129m]1m", "EEEEE123m456m78m9m"])
def test_what_is_no_hand_is_told_on_one_line(hand: str) -> None:
    """With an exit code of its own."""
    code, told, said = run("explain", hand)

    assert (code, told) == (NOT_READ, "")
    assert said.startswith("✗ ")
