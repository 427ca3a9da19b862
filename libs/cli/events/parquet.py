"""Rows of JSON become a Parquet file, by DuckDB and in one pass."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from libs.cli.events.manifest import FORMAT, FORMAT_VERSION
from libs.cli.events.rows import COLUMNS

ROW_GROUP: Final = 50_000
MEMORY: Final = "1GB"
_AS_JSON = {"BLOB": "VARCHAR", "JSON": "JSON"}
_FROM_TEXT = {"data": "from_base64(data)", "chain": "unhex(chain)"}


def literal(text: object) -> str:
    """Return a text as a string literal of SQL."""
    return "'" + str(text).replace("'", "''") + "'"


def rows_of_jsonl(paths: str) -> str:
    """Return the SQL that reads rows of JSON; `paths` is a literal or a list of them."""
    columns = ", ".join(f"{name}: {literal(_AS_JSON.get(type_, type_))}" for name, type_ in COLUMNS.items())
    chosen = ", ".join(f"{_FROM_TEXT.get(name, name)} AS {name}" for name in COLUMNS)
    # Paths are quoted, and columns are this module's own.
    return f"SELECT {chosen} FROM read_json({paths}, format = 'newline_delimited', columns = {{{columns}}})"  # noqa: S608


def to_parquet(jsonl: Path, parquet: Path) -> None:
    """Write the rows of one file into another, in their order, in row groups of ROW_GROUP."""
    import duckdb  # takes a fifth of a second, and JSONL goes without

    told = f"{{format: {literal(FORMAT)}, format_version: {literal(FORMAT_VERSION)}}}"
    # One thread: rows keep their order without waiting for each other in memory.
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY,
        "temp_directory": str(parquet.parent),
        "threads": 1,
    }
    with duckdb.connect(config=settings) as database:
        database.execute(
            f"COPY ({rows_of_jsonl(literal(jsonl))}) TO {literal(parquet)} "
            f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP}, KV_METADATA {told})"
        )
