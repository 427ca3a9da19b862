"""Events that come, a line each."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any

from rich.console import Console

from libs.cli.events.feeds import Feeds
from libs.cli.events.rows import line_of, row_of
from libs.cli.events.tail import follow, positions
from libs.cli.events.withholding import DEALS
from libs.cli.terminal import foreign


async def tell_events(
    feeds: Feeds, services: Sequence[str], types: str, since: datetime | None, *, as_json: bool
) -> None:
    """Print what comes for ever; deals are withheld always, since their games are only beginning."""
    begin = await positions(feeds, services, since)
    async for feed, entry in follow(feeds, begin, _tell_away):
        if not fnmatchcase(entry.event.type, types):
            continue
        row = row_of(entry, feed.service, feed.source, withhold=entry.event.type in DEALS)
        sys.stdout.write(f"{line_of(row) if as_json else line_for_people(row)}\n")
        sys.stdout.flush()


def line_for_people(row: Mapping[str, Any]) -> str:
    """Return time, feed, stream and type of an event, and what it says."""
    time = row["occurred_at"][11:23]
    name = row["type"].removeprefix(f"sparrow.{row['service']}.")
    said = "" if row["message"] is None else json.dumps(row["message"], ensure_ascii=False)
    place = f"{row['service']}/{row['part']} {row['seq']}"
    return foreign(f"{time} {place}  {row['event_id']}  {name}  {said}").plain


def _tell_away(is_away: bool) -> None:
    told = "Sparrow does not answer; waiting" if is_away else "Sparrow answers again"
    Console(stderr=True, highlight=False).print(f"[dim]{told}[/]")
