"""The ratings ahead of each rated race, as the races before it left them in the log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from libs.cli.events.feeds import Feeds, Range, pages
from libs.eventsourcing.envelope import Part, RecordedEvent
from services.match.domain.race.events import RaceEnded
from services.match.domain.race.rating import Rating
from services.match.wire.race_codec import TYPES, RaceCodec

RACE_ENDED: Final = TYPES[RaceEnded][1]


@dataclass
class RatingBook:
    """Takes the ends of races in their order; tells what was known ahead of each of them."""

    _now: dict[UUID, Rating] = field(default_factory=dict)
    _ahead: dict[UUID, dict[UUID, Rating]] = field(default_factory=dict)
    _earlier: dict[UUID, Rating] | None = None

    def take(self, event: RecordedEvent) -> None:
        """Take an event of the facts, if it is the end of a rated race."""
        ended = _rated(event)
        if ended is not None:
            self._ahead[ended.race_id] = {
                account: self._now[account] for account in ended.accounts if account in self._now
            }
            self._now.update(_left_by(ended))

    async def ahead_of(
        self, feeds: Feeds, race_id: UUID, accounts: Iterable[UUID], first: int
    ) -> dict[UUID, Rating]:
        """The ratings ahead of a rated race that was taken; taking began at sequence `first` of the facts."""
        known = self._ahead.pop(race_id, {})
        if self._earlier is None and any(account not in known for account in accounts):
            self._earlier = await _up_to(feeds, first - 1)
        return {**(self._earlier or {}), **known}


async def _up_to(feeds: Feeds, last: int) -> dict[UUID, Rating]:
    """The ratings that the facts up to a sequence left."""
    found: dict[UUID, Rating] = {}
    async for page in pages(feeds, Range("match", Part.FACTS, 1, last)):
        for entry in page:
            ended = _rated(entry.event)
            if ended is not None:
                found.update(_left_by(ended))
    return found


def _rated(event: RecordedEvent) -> RaceEnded | None:
    ended = RaceCodec().decode(event) if event.type == RACE_ENDED else None
    return ended if isinstance(ended, RaceEnded) and ended.rated else None


def _left_by(ended: RaceEnded) -> Iterator[tuple[UUID, Rating]]:
    for account, end in zip(ended.accounts, ended.ends, strict=True):
        if account is not None and end.rating is not None:
            yield account, Rating(end.rating.mu, end.rating.sigma, 1)
