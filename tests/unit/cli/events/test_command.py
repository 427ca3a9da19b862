"""The commands as they are typed: what is misused is one line and exit code 2."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from libs.cli.events.command import app
from libs.cli.events.instants import instant_text, parse_instant
from libs.cli.events.manifest import MANIFEST
from libs.cli.events.site import newest_export


def events(*arguments: str) -> Result:
    """Run a command, in this process."""
    return CliRunner().invoke(app, arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "--from", "yesterday"),
        ("export", "--from", "2026-02-30"),
        ("export", "--to", "2026-11-30T12:00:00"),
        ("export", "--from", "2026-11-30", "--to", "2026-11-29"),
        ("export", "--services", "match,kitchen"),
        ("export", "--format", "xml"),
        ("check", "/nowhere"),
        ("query", "SELECT 1", "--export", "/nowhere"),
        ("query", "SELECT 1", "--export", "/nowhere", "--live"),
        ("query",),
        ("tail", "--service", "kitchen"),
        ("tail", "--since", "noon"),
    ],
)
def test_what_is_misused_is_refused_with_code_2(arguments: tuple[str, ...]) -> None:
    """Before anything is asked or written, and without a traceback."""
    done = events(*arguments)

    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr
    assert isinstance(done.exception, SystemExit)


def test_bad_sql_is_one_clear_line(exported: Path) -> None:
    """On standard error, with exit code 2."""
    done = events("query", "SELECT points FROM transfers", "--export", str(exported))

    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert 'Referenced column "points" not found' in done.stderr


def test_an_export_is_asked_and_checked_without_a_server(exported: Path) -> None:
    """Folders are enough; --json is one document."""
    asked = events("query", "SELECT count(*) AS n FROM transfers", "--export", str(exported), "--json")
    checked = events("check", str(exported), "--json")

    assert json.loads(asked.stdout)[0]["n"] > 100
    assert (checked.exit_code, json.loads(checked.stdout)["ok"]) == (0, True)


def test_instants_are_romanian_days_or_have_a_zone() -> None:
    """A day begins at its first instant, also where the clock changes."""
    assert parse_instant("2026-03-29") == datetime(2026, 3, 28, 22, tzinfo=UTC)
    assert parse_instant("2026-03-30") == datetime(2026, 3, 29, 21, tzinfo=UTC)
    assert parse_instant("2026-03-29T03:00:00+03:00") == datetime(2026, 3, 29, tzinfo=UTC)
    assert instant_text(parse_instant("2026-11-30T12:00:00Z")) == "2026-11-30T12:00:00.000000Z"
    for nonsense in (
        "",
        "29.03.2026",
        "2026-13-01",
        "2026-03-29T12:00:00",
        "0001-01-01",
        "9999-12-31",
        "now",
    ):
        with pytest.raises(ValueError, match="a Romanian day"):
            parse_instant(nonsense)


def test_the_newest_export_is_the_one_finished_last(tmp_path: Path) -> None:
    """What has no manifest, and what is still written aside, does not count."""
    assert newest_export(tmp_path / "nothing") is None
    for name in ("b", "a", ".c.partial-x", "d"):
        (tmp_path / name).mkdir()
        if name != "d":
            (tmp_path / name / MANIFEST).write_text("{}")
    for number, name in enumerate(("b", "a", ".c.partial-x")):
        os.utime(tmp_path / name / MANIFEST, (number, number))

    assert newest_export(tmp_path) == tmp_path / "a"


def test_the_commands_do_without_sql_until_they_need_it() -> None:
    """DuckDB takes a fifth of a second, gRPC's server side nothing here."""
    code = "import sys, libs.cli.events.command; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert {"duckdb", "_duckdb", "asyncpg", "sqlalchemy", "nats"} & set(done.stdout.split()) == set()
