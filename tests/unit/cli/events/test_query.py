"""SQL over an export: its tables, the ways to print an answer, and what SQL cannot reach."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from threading import Timer
from typing import Any
from uuid import UUID

import pytest
from rich.console import Console

from libs.cli.events.answers import BadQuestion, ask, plain, show_table, write_csv, write_json
from libs.cli.events.database import ENVELOPE, open_database, view_name
from libs.cli.events.documents import document
from libs.cli.events.reading import read_transfers
from libs.cli.events.schema import known_types, types_in
from libs.eventsourcing.envelope import Part
from tests.support.events_log import PLAYERS, Feeds
from tests.support.golden_events import event_messages, sample


@pytest.fixture(scope="session")
def database(exported: Path) -> Iterator[Any]:
    """The recorded log as tables."""
    with open_database(exported) as opened:
        yield opened


def rows(database: Any, sql: str) -> list[tuple[Any, ...]]:
    """The rows of an answer."""
    return list(ask(database, sql).rows)


def test_every_event_type_has_a_view_with_its_fields_as_columns(database: Any) -> None:
    """After those of the envelope, under their proto names."""
    assert set(known_types()) == set(event_messages())
    for type_, message in known_types().items():
        answer = ask(database, f"SELECT * FROM {view_name(type_)} LIMIT 0")
        assert answer.columns == (*ENVELOPE, *(field.name for field in message.DESCRIPTOR.fields))


def test_columns_have_the_types_of_their_fields(database: Any) -> None:
    """Numbers are numbers, enums text, messages structures, repeated fields lists."""
    types = dict(
        rows(database, "SELECT column_name, column_type FROM (DESCRIBE match.seat_removed_pair)")
        + rows(database, "SELECT column_name, column_type FROM (DESCRIBE match.clock_paused)")
        + rows(database, "SELECT column_name, column_type FROM (DESCRIBE match.match_created)")
    )
    expected = {
        "seat": "INTEGER",
        "pair": 'STRUCT("first" INTEGER, "second" INTEGER)',
        "kind": "VARCHAR",
        "round_score": "BIGINT",
        "crucial": "BOOLEAN",
        "from_time": "TIMESTAMP",
        "account_ids": "VARCHAR[]",
        "occurred_at": "TIMESTAMP",
        "occurred_day": "DATE",
    }
    assert {name: types[name] for name in expected} == expected


def test_views_say_what_the_events_say(database: Any, feeds: Feeds) -> None:
    """Field by field, for a type with many kinds of fields."""
    pairs = [e for e in feeds.entries["match", Part.MOVES] if e.event.type.endswith("seat_removed_pair.v1")]
    found = rows(database, "SELECT seq, seat, pair, kind, round_score, crucial FROM match.seat_removed_pair")
    message = known_types()["sparrow.match.seat_removed_pair.v1"]
    expected = []
    for entry in pairs:
        said = document(message.FromString(entry.event.data))
        columns = (said[name] for name in ("seat", "pair", "kind", "round_score", "crucial"))
        expected.append((entry.seq, *columns))

    assert found == expected


def test_the_descriptors_of_an_export_are_enough_to_read_it(exported: Path) -> None:
    """They name the same types with the same fields as the program's own."""
    brought = types_in((exported / "protos.binpb").read_bytes())

    assert list(brought) == list(known_types())
    for type_, message in known_types().items():
        raw = sample(message).SerializeToString(deterministic=True)
        assert document(brought[type_].FromString(raw)) == document(message.FromString(raw))


def test_entries_of_each_asset_add_up_to_nothing(database: Any, exported: Path) -> None:
    """Every transfer has two, and the journal is balanced."""
    sums = rows(database, "SELECT asset, sum(amount), count(*) FROM entries GROUP BY asset ORDER BY asset")

    assert [(asset, total) for asset, total, _ in sums] == [("CHIP", 0), ("JOKER", 0), ("POINTS", 0)]
    assert sum(count for _, _, count in sums) == 2 * sum(1 for _ in read_transfers(exported))


def test_the_days_of_events_are_those_of_the_table_of_days(database: Any) -> None:
    """Day by day as the midnights say: also of what happened shortly ahead of one."""
    sql = """
    SELECT count(*) FROM events JOIN days ON occurred_at >= starts_at AND occurred_at < ends_at
    WHERE days.day <> occurred_day
    """
    assert rows(database, sql) == [(0,)]
    late = rows(
        database, "SELECT count(*) FROM transfers WHERE CAST(posted_at + INTERVAL 3 HOUR AS DATE) > day"
    )
    assert late[0][0] > 0


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELEC 1", 'Parser Error: syntax error at or near "SELEC"'),
        ("", "one SELECT"),
        ("SELECT 1; SELECT 2", "one SELECT"),
        ("SELECT nothing FROM events", 'Binder Error: Referenced column "nothing" not found'),
        ("SELECT * FROM nowhere", "Catalog Error"),
        ("SELECT CAST(type AS INTEGER) FROM events", "Conversion Error"),
        ("CREATE TABLE t (a INTEGER)", "one SELECT"),
        ("DROP VIEW events", "one SELECT"),
        ("EXPLAIN ANALYZE COPY (SELECT 1) TO 'x'", "one SELECT"),
        ("SET threads = 1", "one SELECT"),
        ("ATTACH 'other.db'", "one SELECT"),
        ("INSTALL httpfs", "one SELECT"),
    ],
)
def test_what_cannot_be_answered_is_one_line(database: Any, sql: str, told: str) -> None:
    """Also where it shows only while rows are read."""
    with pytest.raises(BadQuestion) as refused:
        rows(database, sql)

    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "function", ["read_text", "read_csv", "read_parquet", "read_json", "read_blob", "glob"]
)
def test_sql_reads_no_other_file(database: Any, tmp_path: Path, function: str) -> None:
    """Not even by the functions that read the export's own."""
    (tmp_path / "secret.txt").write_text("secret")

    with pytest.raises(BadQuestion):
        rows(database, f"SELECT * FROM {function}('{tmp_path}/secret.txt')")


def test_sql_cannot_write_into_the_export(database: Any, exported: Path) -> None:
    """The files it may read are no targets either."""
    name = next(path for path in exported.glob("ledger.facts.*"))
    before = name.read_bytes()
    for sql in (f"COPY (SELECT 1) TO '{name}'", f"COPY (SELECT 1) TO '{exported}/new.csv'"):
        with pytest.raises(BadQuestion):
            rows(database, sql)

    assert name.read_bytes() == before
    assert not (exported / "new.csv").exists()


def test_settings_are_locked(database: Any) -> None:
    """Whoever gets past the look at the statement changes nothing."""
    import duckdb

    for sql in ("SET enable_external_access = true", "SET lock_configuration = false", "INSTALL httpfs"):
        with pytest.raises(duckdb.Error):
            database.execute(sql)


WIDE = "SELECT 1 AS a, 'x' AS a, NULL AS nothing, [1, 2] AS list, DATE '2026-03-29' AS day"


def test_answers_are_printed_as_json(database: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A list of objects; equal names get numbers; an empty answer is an empty list."""
    write_json(ask(database, WIDE))
    assert json.loads(capsys.readouterr().out) == [
        {"a": 1, "a_1": "x", "nothing": None, "list": [1, 2], "day": "2026-03-29"}
    ]
    write_json(ask(database, "SELECT * FROM events WHERE false"))
    assert json.loads(capsys.readouterr().out) == []


def test_what_is_no_number_in_json_is_text(database: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """As protobuf writes it, so that every document can be parsed; inside lists too."""
    write_json(ask(database, "SELECT 'nan'::DOUBLE AS nan, ['inf'::DOUBLE, '-inf'::DOUBLE, 0.5] AS list"))

    written = capsys.readouterr().out
    assert json.loads(written, parse_constant=pytest.fail) == [
        {"nan": "NaN", "list": ["Infinity", "-Infinity", 0.5]}
    ]


def test_ctrl_c_ends_a_question_that_would_run_for_ever(database: Any) -> None:
    """As it ends everything else: DuckDB's own error for it is no traceback."""
    ctrl_c = Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    ctrl_c.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            rows(database, "SELECT count(*) FROM range(10000000000) a, range(1000000000) b")
    finally:
        ctrl_c.cancel()
    assert rows(database, "SELECT 1") == [(1,)]


def test_answers_are_printed_as_csv(database: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """With a line of names, quoted as CSV quotes."""
    write_csv(ask(database, WIDE + ", 'say \"hi\", Ana' AS quoted"))

    assert list(csv.reader(io.StringIO(capsys.readouterr().out))) == [
        ["a", "a_1", "nothing", "list", "day", "quoted"],
        ["1", "x", "", "[1, 2]", "2026-03-29", 'say "hi", Ana'],
    ]


def test_wide_answers_stand_one_below_the_other(database: Any) -> None:
    """And a table that ends early says so; control characters of others stay out."""
    out = io.StringIO()
    console = Console(file=out, width=60, highlight=False)
    show_table(ask(database, "SELECT * FROM match.match_created"), 2, console)
    show_table(ask(database, "SELECT chr(27) || '[31mred' AS colour"), 2, console)

    assert "row 1" in out.getvalue()
    assert "round_id" in out.getvalue()
    assert "more than these 2 rows" in " ".join(out.getvalue().split())
    assert "\x1b" not in out.getvalue()


def test_values_are_plain(database: Any) -> None:
    """What JSON does not know becomes text, whole decimals become integers."""
    assert plain(Decimal(12)) == 12
    assert plain(Decimal("1.5")) == 1.5
    assert plain(datetime(2026, 3, 29, 1, 2, 3)) == "2026-03-29T01:02:03"  # noqa: DTZ001 SQL has no zones here
    assert plain({"day": date(2026, 3, 29), "of": (UUID(int=1), b"\x01")}) == {
        "day": "2026-03-29",
        "of": ["00000000-0000-0000-0000-000000000001", "01"],
    }


def test_boards_folded_in_sql_are_sums_of_the_transfers(database: Any, exported: Path) -> None:
    """A board in one statement, and the same by hand."""
    sql = """
    SELECT account, CAST(sum(amount) AS BIGINT) AS points FROM entries
    WHERE asset = 'POINTS' AND account LIKE 'players/%' AND day BETWEEN '2026-03-23' AND '2026-03-29'
    GROUP BY account ORDER BY points DESC, account
    """
    week: dict[str, int] = {}
    for one in read_transfers(exported):
        if one.asset == "POINTS" and one.day <= date(2026, 3, 29):
            week[one.credit] = week.get(one.credit, 0) + one.amount

    assert rows(database, sql) == sorted(week.items(), key=lambda row: (-row[1], row[0]))
    assert set(week) <= {f"players/{player}" for player in PLAYERS}
