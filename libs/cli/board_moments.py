"""Days and instants on the command line."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated

import typer

from libs.cli.terminal import fail

DayOption = Annotated[
    str | None, typer.Option("--day", metavar="YYYY-MM-DD", help="the board of that day, or of its week")
]
AsOfOption = Annotated[
    str | None,
    typer.Option(
        "--as-of", metavar="INSTANT", help="as shown then: 2026-11-29T12:00:00Z; UTC without a zone"
    ),
]


def day_of(text: str | None) -> date | None:
    """Return the day that was written; ends the program where it is none."""
    try:
        return date.fromisoformat(text) if text is not None else None
    except ValueError:
        fail(f"--day: {text!r} is no day: write it like 2026-11-29")


def instant_of(text: str | None) -> datetime | None:
    """Return the instant that was written, in UTC; ends the program where it is none."""
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
        return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
    except (ValueError, OverflowError):  # in UTC it may lie outside the years 1 to 9999
        fail(f"--as-of: {text!r} is no instant: write it like 2026-11-29T12:00:00Z")
