"""What never leaves in an export: deals of games that are not over, and free words of clients.

A deal is withheld until an end of its stream is in the log, in whatever range the end lies. The entry stays,
with its place, its chain value and its envelope; only what it holds is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final
from uuid import UUID

from libs.eventsourcing.envelope import FeedEntry, RecordedEvent

ENDS_OF_DEALS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "sparrow.match.attempt_started.v1": frozenset(
            {
                "sparrow.match.attempt_cleared.v1",
                "sparrow.match.attempt_left.v1",
                "sparrow.match.attempt_restarted.v1",
            }
        ),
        "sparrow.match.round_dealt.v1": frozenset({"sparrow.match.round_ended.v1"}),
    }
)
"""Events that hold what players may not know yet, with the events of the same stream that end it."""

REVEALING: Final = frozenset({"sparrow.match.deal_revealed.v1"})
"""Events whose purpose is to publish a deal: they come after the end."""

_ENDS: Final = frozenset[str]().union(*ENDS_OF_DEALS.values())
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class EndedStreams:
    """The streams whose game is over, as far as the log was seen."""

    def __init__(self) -> None:
        """Know of none."""
        self._streams: set[UUID] = set()

    def see(self, entries: Iterable[FeedEntry]) -> None:
        """Take note of the ends among entries."""
        self._streams.update(entry.event.stream_id for entry in entries if entry.event.type in _ENDS)

    def withholds(self, event: RecordedEvent) -> bool:
        """Whether an event holds the deal of a game that is not known to be over."""
        return event.type in ENDS_OF_DEALS and event.stream_id not in self._streams


def shown_request_id(event: RecordedEvent) -> str | None:
    """Return the request id where it is a UUID: any other text is a client's own words."""
    request_id = event.request_id
    return request_id if request_id is None or _UUID.fullmatch(request_id) else None
