"""What never leaves in an export: deals of games that are not over, and free words of clients.

A deal is withheld until an end of its stream is in the log, in whatever range the end lies. The entry stays,
with its place, its chain value and its envelope, and says what anybody may know: who plays which level.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from libs.eventsourcing.envelope import FeedEntry, RecordedEvent


@dataclass(frozen=True)
class Deal:
    """An event type that holds what players may not know yet."""

    ends: frozenset[str]
    """Events of the same stream after which all of it may be known."""
    open_fields: frozenset[str]
    """The fields that are no secret before that."""


_DEAL_ENDS: Final = frozenset({"sparrow.mcr.deal_ended.v1"})
_MCR_OPEN: Final = {
    "deal_dealt": ("table_id", "number", "dealer", "commitment"),
    "flower_replaced": ("seat", "flower"),
    "play_began": (),
    "tile_drawn": ("seat", "source"),
    "tile_discarded": ("seat", "tile", "by"),
    "claim_answered": (),
    "kong_declared": ("seat", "by"),
    "kong_added": ("seat", "tile", "by"),
}
"""Events of MCR deals that hold what not everybody at the table sees, and their fields that all see."""

DEALS: Final[Mapping[str, Deal]] = MappingProxyType(
    {
        "sparrow.match.attempt_started.v1": Deal(
            ends=frozenset(
                {
                    "sparrow.match.attempt_cleared.v1",
                    "sparrow.match.attempt_left.v1",
                    "sparrow.match.attempt_restarted.v1",
                }
            ),
            open_fields=frozenset({"account_id", "level", "catalogue_version", "hard"}),
        ),
        "sparrow.match.pool_dealt.v1": Deal(
            ends=frozenset({"sparrow.match.pool_ended.v1"}),
            open_fields=frozenset({"account_ids", "stake", "catalogue_version", "commitment"}),
        ),
        "sparrow.match.pool_shuffled.v1": Deal(
            ends=frozenset({"sparrow.match.pool_ended.v1"}),
            open_fields=frozenset({"seat", "charge", "score"}),
        ),
        "sparrow.match.round_dealt.v1": Deal(
            ends=frozenset({"sparrow.match.round_ended.v1"}),
            open_fields=frozenset(
                {
                    *("match_id", "account_ids", "mode", "number", "round_count"),
                    *("level", "catalogue_version", "commitment"),
                }
            ),
        ),
        "sparrow.match.race_dealt.v1": Deal(
            ends=frozenset({"sparrow.match.race_ended.v1"}),
            open_fields=frozenset({"race_id", "group_id", "rated"}),
        ),
        "sparrow.match.race_board_shuffled.v1": Deal(
            ends=frozenset({"sparrow.match.race_ended.v1"}),
            open_fields=frozenset({"seat", "moved", "by_cpu"}),
        ),
        **{
            f"sparrow.mcr.{name}.v1": Deal(_DEAL_ENDS, frozenset(fields))
            for name, fields in _MCR_OPEN.items()
        },
    }
)

REVEALING: Final = frozenset(
    {
        "sparrow.match.deal_revealed.v1",
        "sparrow.match.pool_deal_revealed.v1",
        "sparrow.mcr.wall_revealed.v1",
        "sparrow.tournament.tournament_started.v1",
    }
)
"""Events whose purpose is to publish a deal: they come after the end. A tournament's seed is drawn with its
only use, the seating of the first round."""

_ENDS: Final = frozenset[str]().union(*(deal.ends for deal in DEALS.values()))
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


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
        return event.type in DEALS and event.stream_id not in self._streams


def openly(type_: str, said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a withheld event says, with null for everything that is no open field."""
    shown = DEALS[type_].open_fields
    return {name: value if name in shown else None for name, value in said.items()}


def shown_request_id(event: RecordedEvent) -> str | None:
    """Return the request id where it is a UUID: any other text is a client's own words."""
    request_id = event.request_id
    return request_id if request_id is None or _UUID.fullmatch(request_id) else None
