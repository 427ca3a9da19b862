"""An operator builds boards anew, proves them and looks into the past, on a whole Sparrow."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from libs.cli.doctor.machine import database_url
from libs.runtime.config import Settings
from libs.runtime.data_folder import read_announcement
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(300)

LOWER_A_ROW = """
UPDATE ledger.board_row_g{0} SET points = points - 1
WHERE (board, day, account) = (SELECT board, day, account FROM ledger.board_row_g{0} WHERE board = 1 LIMIT 1)
RETURNING account::text, points
"""


@pytest.fixture(scope="module")
def played(sparrow_server: Installation) -> Installation:
    """Levels and quick matches were played, and nobody plays any more."""
    done = sparrow_server.sparrow("demo", "--players", "6", "--seconds", "5", "--seed", "7", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    return sparrow_server


def told(installation: Installation, *arguments: str, exit_code: int = 0) -> Any:
    """Return the document that a command prints."""
    done = installation.sparrow(*arguments, "--json")
    assert (done.returncode, done.stderr) == (exit_code, ""), done.stdout + done.stderr
    return json.loads(done.stdout)


async def lower_a_row(installation: Installation, generation: int) -> tuple[str, int]:
    """Take a point off a row of AMR behind the service's back; return whose it is, and what is left."""
    url = database_url(read_announcement(installation.data_dir), Settings(data_dir=installation.data_dir))
    assert url is not None
    connection = await asyncpg.connect(url)
    try:
        row = await connection.fetchrow(LOWER_A_ROW.format(generation))
    finally:
        await connection.close()
    assert row is not None
    return f"players/{row[0]}", row[1]


async def test_a_damaged_row_is_named_by_verify_and_mended_by_rebuild(played: Installation) -> None:
    """Also by diff, against the generation before; afterwards everything is right again."""
    before = told(played, "ledger", "rebuild")
    player, left = await lower_a_row(played, before["generation"])

    found = told(played, "ledger", "verify", exit_code=1)
    after = told(played, "ledger", "rebuild")
    compared = told(played, "ledger", "diff", str(before["generation"]), "live", exit_code=1)
    sound = told(played, "ledger", "verify")

    assert (before["switched"], before["fault_count"], before["error"]) == (True, 0, "")
    damaged = {
        "kind": "row",
        "board": "amr",
        "account": player,
        "stored": str(left),
        "expected": str(left + 1),
    }
    assert [fault for fault in found["faults"] if damaged.items() <= fault.items()]
    assert (after["switched"], after["generation"]) == (True, before["generation"] + 1)
    assert [fault for fault in after["faults"] if damaged.items() <= fault.items()]
    assert [fault["account"] for fault in compared["rows"]] == [player]
    assert sound["ok"] and sound["events"] > 0 and sound["entries"] > 0


def test_an_export_folded_by_sql_has_the_hash_of_the_log(played: Installation, tmp_path: Path) -> None:
    """In both forms; its rows are those of the live boards."""
    for encoding in ("parquet", "jsonl"):
        folder = str(tmp_path / encoding)
        exported = played.sparrow("events", "export", "--format", encoding, "--out", folder)
        assert exported.returncode == 0, exported.stderr

        found = told(played, "ledger", "verify", "--export", folder)

        assert found["export"]["agrees"]
        assert found["export"]["digest"] == found["digest"]
        assert told(played, "ledger", "diff", folder, "live")["count"] == 0


def test_boards_as_of_an_instant_are_those_that_the_log_makes(played: Installation) -> None:
    """Now, and before anything was played."""
    now = told(played, "replay", "--as-of", datetime.now(UTC).isoformat())
    long_ago = told(played, "replay", "--as-of", "2020-01-01")

    assert now["boards"]["amr"]
    assert (now["differences"], long_ago["differences"], long_ago["day"]) == (0, 0, None)


def test_people_are_told_in_lines(played: Installation) -> None:
    """What was read, how fast, what differed."""
    rebuilt = played.sparrow("ledger", "rebuild")
    verified = played.sparrow("ledger", "verify")

    assert "events/s" in rebuilt.stdout and "nothing differed" in rebuilt.stdout
    assert "no fault" in verified.stdout and "entries" in verified.stdout
