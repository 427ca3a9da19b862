"""Tournaments for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def document(value: DataclassInstance) -> dict[str, Any]:
    """Return a value for `--json`: instants in ISO 8601, spans in seconds."""
    told: dict[str, Any] = _plain(asdict(value))
    return told


def _plain(value: Any) -> Any:
    match value:
        case Mapping():
            return {name: _plain(each) for name, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
        case datetime() | date():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case _:
            return value
