"""An export as an SQL database in memory: views over its files, and nothing else that SQL could reach."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from google.protobuf.message import DecodeError

from libs.cli.events.documents import sql_structure
from libs.cli.events.manifest import Encoding, Manifest, NoExport
from libs.cli.events.parquet import MEMORY, literal, rows_of_jsonl
from libs.cli.events.reading import TRANSFER_POSTED
from libs.cli.events.schema import types_in

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

ENVELOPE: Final = (
    *("event_id", "seq", "placed_at", "occurred_at", "occurred_day", "recorded_at"),
    *("stream_id", "version", "caller"),
)
"""The columns that stand ahead of a message's own in the view of its type."""

TRANSFERS: Final = """
CREATE VIEW transfers AS
SELECT seq, event_id, placed_at, occurred_at, recorded_at AS posted_at, CAST(day AS DATE) AS day, key,
       {asset} AS asset, debit, credit, amount, reason, cause, reverses
FROM ledger.transfer_posted
"""
ENTRIES: Final = """
CREATE VIEW entries AS
SELECT seq, event_id, placed_at, occurred_at, day, debit AS account, asset, -amount AS amount, reason, key
FROM transfers
UNION ALL
SELECT seq, event_id, placed_at, occurred_at, day, credit AS account, asset, amount, reason, key
FROM transfers
"""


@contextmanager
def open_database(folder: Path) -> Iterator[DuckDBPyConnection]:
    """Give a database with the views of an export, locked. Raises NoExport.

    `events` holds every entry; a view such as `match.tile_lifted` the events of one type with their fields as
    columns; `transfers` and `entries` the ledger's journal, by transfer and by account; `days` the Romanian
    midnights. SQL can read the export's files and nothing else, and cannot change any setting.
    """
    import duckdb  # takes a fifth of a second, which the other commands need not wait for

    manifest = Manifest.read(folder)
    with (
        tempfile.TemporaryDirectory(prefix="sparrow-sql-") as spill,
        duckdb.connect(config={"memory_limit": MEMORY, "temp_directory": spill}) as database,
    ):
        try:
            for statement in _views(folder, manifest):
                database.execute(statement)
            _lock(database, folder, manifest)
        except (duckdb.Error, DecodeError, OSError, TypeError) as error:
            raise NoExport(f"{folder} cannot be read: {str(error).splitlines()[0]}") from None
        yield database


def _views(folder: Path, manifest: Manifest) -> Iterator[str]:
    files = f"[{', '.join(literal(folder / file.name) for file in manifest.files)}]"
    is_jsonl = manifest.encoding is Encoding.JSONL
    yield f"CREATE VIEW events AS {rows_of_jsonl(files) if is_jsonl else f'FROM read_parquet({files})'}"
    days = literal(folder / manifest.days.name)
    columns = "{day: 'DATE', starts_at: 'TIMESTAMP', ends_at: 'TIMESTAMP', hours: 'INTEGER'}"
    yield f"CREATE TABLE days AS FROM read_csv({days}, header = true, columns = {columns})"
    types = types_in((folder / manifest.protos.name).read_bytes())
    for service in sorted({type_.split(".")[1] for type_ in types}):
        yield f'CREATE SCHEMA "{service}"'
    for type_, message in types.items():
        yield _view_of_type(type_, sql_structure(message))
    if (posted := types.get(TRANSFER_POSTED)) is not None:
        asset = "substr(asset, 7)"  # without ASSET_
        if "cup_kind" in posted.DESCRIPTOR.fields_by_name:
            asset = f"{asset} || CASE WHEN cup_kind = '' THEN '' ELSE '/' || cup_kind END"
        yield TRANSFERS.format(asset=asset)
        yield ENTRIES


def view_name(type_: str) -> str:
    """Return the view of an event type: sparrow.match.tile_lifted.v1 is match.tile_lifted, v2 …_v2."""
    _, service, name, version = type_.split(".")
    return f'"{service}"."{name}"' if version == "v1" else f'"{service}"."{name}_{version}"'


def _view_of_type(type_: str, fields: Mapping[str, Any]) -> str:
    """The SQL of one view. A field that is called as a column of the envelope stands in its place."""
    envelope = [name for name in ENVELOPE if name not in fields]
    columns = ", ".join([*envelope, *(f'said."{name}" AS "{name}"' for name in fields)])
    said = f", from_json(message, {literal(json.dumps(fields))}) AS said" if fields else ""
    rows = f"SELECT *{said} FROM events WHERE type = {literal(type_)}"  # noqa: S608 all quoted
    return f"CREATE VIEW {view_name(type_)} AS SELECT {columns} FROM ({rows})"  # noqa: S608 of descriptors


def _lock(database: DuckDBPyConnection, folder: Path, manifest: Manifest) -> None:
    files = ", ".join(literal(folder / file.name) for file in manifest.files)
    database.execute(f"SET allowed_paths = [{files}]")
    database.execute("SET enable_external_access = false")
    database.execute("SET lock_configuration = true")
