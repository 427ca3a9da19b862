"""Closed tables as documents for programs: instants as ISO 8601, bytes in hexadecimal, tiles by number."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from libs.client.table_history import PlayedTable, TableReplay


def document(told: PlayedTable | TableReplay) -> Any:
    """All that is known of it, under the names of the client library."""
    return _plain(asdict(told))


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {key: _plain(each) for key, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
        case datetime():
            return value.isoformat()
        case bytes():
            return value.hex()
        case _:
            return value
