"""The fold of the boards against 36 cases made by a naive model (format: tests/data/ledger/FORMAT.md)."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from libs.cli.boards_fold.case import parse
from libs.cli.boards_fold.ledger import answer
from services.ledger.domain.boards import digest_of

FILE = Path(__file__).parents[2] / "data" / "ledger" / "boards.jsonl"
CASES = [json.loads(line) for line in FILE.read_text().splitlines()]


@pytest.mark.parametrize("closing_delay_s", [0, 90], ids=["closed on time", "closed 90 s late"])
@pytest.mark.parametrize("case", CASES, ids=[f"{case['id']}-{case['kind']}" for case in CASES])
def test_fold_shows_the_boards_of_the_naive_model(case: dict[str, Any], closing_delay_s: int) -> None:
    """Days closed by the clock, late closings included, give the same boards as recomputing everything."""
    told, boards = answer(parse(case), timedelta(seconds=closing_delay_s))

    assert told == {"id": case["id"], "boards": case["boards"]}
    boards.settle()
    assert boards.digest == digest_of(boards.sheets)


def test_there_are_36_cases() -> None:
    """The file is whole."""
    assert len(CASES) == 36
