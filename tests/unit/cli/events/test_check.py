"""`sparrow events check`: an export as it was written is right, and whatever is changed in it is found."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from libs.cli.events.checking import check_export
from libs.cli.events.export import Order, export
from libs.cli.events.manifest import MANIFEST, Encoding, NoExport
from libs.cli.events.schema import known_services
from tests.support.events_log import Feeds

LEDGER = "ledger.facts.jsonl"


@pytest.fixture
async def jsonl(feeds: Feeds, tmp_path: Path) -> Path:
    """An export that a test may damage."""
    await export(feeds, Order(known_services(), Encoding.JSONL), tmp_path / "jsonl")
    return tmp_path / "jsonl"


def wrong(folder: Path) -> dict[str, str]:
    """What is wrong, by file."""
    return {one.name: one.wrong for one in check_export(folder) if one.wrong}


def rewrite(path: Path, number: int, **columns: Any) -> None:
    """Change columns of a row; without any, the row goes."""
    lines = path.read_text().splitlines(keepends=True)
    changed = json.dumps({**json.loads(lines[number]), **columns}, separators=(",", ":")) + "\n"
    lines[number] = changed if columns else ""
    path.write_text("".join(lines))


def test_an_export_is_right_as_it_was_written(feeds: Feeds, exported: Path) -> None:
    """Every entry is counted, and every chain value recomputed but that of the withheld deal."""
    found = list(check_export(exported))
    total = sum(map(len, feeds.entries.values()))

    assert wrong(exported) == {}
    assert sum(one.entries for one in found) == total
    assert sum(one.recomputed for one in found) == total - 1


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"caller": "00000000-0000-0000-0000-000000000001"}, "entry 11 .*its chain value is another"),
        ({"data": "AAAA"}, "entry 11 .*its chain value is another"),
        ({"occurred_at": "2026-03-24T00:00:00.000000Z"}, "entry 11 .*its chain value is another"),
        ({"seq": 13}, "entry 13 of facts follows on 10 of facts"),
        ({"seq": "eleven"}, "entry eleven of facts follows"),
        ({"stream_id": "nobody"}, "row 11 cannot be read"),
        ({}, "entry 12 of facts follows on 10 of facts"),
        ({"message": {"key": "another"}}, "its bytes are not those that were exported"),
    ],
)
def test_a_changed_row_is_found_and_named(jsonl: Path, columns: dict[str, Any], told: str) -> None:
    """By the chain where that holds it, else by the hash of the file."""
    rewrite(jsonl / LEDGER, 10, **columns)

    found = wrong(jsonl)
    assert list(found) == [LEDGER]
    assert re.search(told, found[LEDGER]), found[LEDGER]


def test_a_file_that_was_cut_is_found(jsonl: Path) -> None:
    """Whole rows that are missing at the end are told by the manifest."""
    path = jsonl / LEDGER
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-3]))

    assert "told otherwise" in wrong(jsonl)[LEDGER]


def test_damaged_parquet_and_missing_files_are_told(exported: Path, tmp_path: Path) -> None:
    """One line for each file, and the others are checked all the same."""
    folder = tmp_path / "copy"
    shutil.copytree(exported, folder)
    names = [path.name for path in sorted(folder.glob("ledger.facts.*"))]
    for name in names:
        (folder / name).write_bytes((folder / name).read_bytes()[:2_000])
    (folder / "days.csv").unlink()

    found = wrong(folder)
    assert set(found) == {"days.csv", *names}
    assert found["days.csv"] == "No such file or directory"


@pytest.mark.parametrize(
    "content",
    [
        *("", "[]", "{}", "nonsense", '{"format": "sparrow-events", "format_version": 2}'),
        '{"format": "sparrow-events", "format_version": 1, "encoding": "xml"}',
    ],
)
def test_what_is_no_manifest_makes_no_export(tmp_path: Path, content: str) -> None:
    """Whatever stands in its place, one sentence says so."""
    (tmp_path / MANIFEST).write_text(content)

    with pytest.raises(NoExport, match=str(tmp_path)):
        list(check_export(tmp_path))


@pytest.mark.parametrize(
    ("column", "value"),
    [("name", "../secret.jsonl"), ("name", ".hidden"), ("chain_before", "xyz"), ("count", "many")],
)
def test_a_damaged_manifest_is_told(jsonl: Path, column: str, value: str) -> None:
    """An export from elsewhere leads nobody to other files, nor to a traceback."""
    manifest = json.loads((jsonl / MANIFEST).read_text())
    manifest["files"][0][column] = value
    (jsonl / MANIFEST).write_text(json.dumps(manifest))

    with pytest.raises(NoExport, match="is damaged, or names a file outside the folder"):
        list(check_export(jsonl))
