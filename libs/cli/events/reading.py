"""Reading an export: its entries, and the transfers of the ledger in it, one after the other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

from libs.cli.events.manifest import Encoding, FeedFile, Manifest, NoExport
from libs.cli.events.parquet import literal
from libs.cli.events.rows import COLUMNS, ExportedEntry, exported
from libs.eventsourcing.envelope import Part

TRANSFER_POSTED: Final = "sparrow.ledger.transfer_posted.v1"
ROWS_AT_ONCE: Final = 10_000


@dataclass(frozen=True, slots=True)
class ExportedTransfer:
    """A transfer of the ledger, as it stands in an export."""

    seq: int
    event_id: str
    placed_at: datetime
    occurred_at: datetime
    posted_at: datetime
    day: date
    """The Romanian day it counts for."""
    key: str
    asset: str
    """"POINTS", "JOKER", "CHIP", "CUP/<kind>" …"""
    debit: str
    credit: str
    amount: int
    reason: str
    cause: str
    """"<source>:<stream>/<version>", or empty."""
    reverses: str
    """The key of the transfer that it takes back, or empty."""


def read_entries(folder: Path, service: str, part: Part) -> Iterator[ExportedEntry]:
    """Yield what an export holds of one feed, by sequence. Raises NoExport for files that cannot be read."""
    manifest = Manifest.read(folder)
    for file in manifest.files:
        if (file.service, file.part) == (service, part.value):
            yield from entries_of_file(folder, manifest, file)


def read_transfers(folder: Path) -> Iterator[ExportedTransfer]:
    """Yield the transfers in an export, by their sequence in the ledger's feed. Raises NoExport."""
    for one in read_entries(folder, "ledger", Part.FACTS):
        event, said = one.entry.event, one.message
        if event.type == TRANSFER_POSTED and said is not None:
            yield ExportedTransfer(
                seq=one.entry.seq,
                event_id=event.id,
                placed_at=one.entry.at,
                occurred_at=event.occurred_at,
                posted_at=event.recorded_at,
                day=date.fromisoformat(said["day"]),
                key=said["key"],
                asset="/".join(filter(None, (said["asset"].removeprefix("ASSET_"), said.get("cup_kind")))),
                debit=said["debit"],
                credit=said["credit"],
                amount=said["amount"],
                reason=said["reason"],
                cause=said["cause"],
                reverses=said["reverses"],
            )


def entries_of_file(folder: Path, manifest: Manifest, file: FeedFile) -> Iterator[ExportedEntry]:
    """Yield the entries of one file, in its order. Raises NoExport where it cannot be read."""
    path = folder / file.name
    rows = _rows_of_jsonl(path) if manifest.encoding is Encoding.JSONL else _rows_of_parquet(path)
    number = 0
    try:
        for number, row in enumerate(rows, 1):  # noqa: B007 the failure names the row
            yield exported(row)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoExport(f"{path}: row {number} cannot be read ({type(error).__name__})") from None


def _rows_of_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as file:
        for line in file:
            yield json.loads(line)


def _rows_of_parquet(path: Path) -> Iterator[dict[str, Any]]:
    """The rows in the form that JSON has."""
    import duckdb  # takes a fifth of a second, and JSONL goes without

    as_text = {"data": "to_base64(data)", "chain": "lower(hex(chain))"}
    instants = {name: f"strftime({name}, '%Y-%m-%dT%H:%M:%S.%fZ')" for name in _INSTANTS}
    chosen = ", ".join({**as_text, **instants}.get(name, name) for name in COLUMNS)
    with duckdb.connect() as database:
        try:
            found = database.execute(f"SELECT {chosen} FROM read_parquet({literal(path)})")  # noqa: S608
            while rows := found.fetchmany(ROWS_AT_ONCE):
                for row in rows:
                    told = dict(zip(COLUMNS, row, strict=True))
                    told["message"] = None if told["message"] is None else json.loads(told["message"])
                    yield told
        except duckdb.Error as error:
            raise ValueError(str(error)) from None


_INSTANTS: Final = tuple(name for name, type_ in COLUMNS.items() if type_ == "TIMESTAMP")
