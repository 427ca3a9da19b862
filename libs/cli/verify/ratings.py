"""The ratings ahead of a race: what the last rated race of each player before it left, out of the feed."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from libs.cli.verify.collect import Feeds
from libs.eventsourcing.envelope import Part
from services.match.domain.race.events import RaceEnded
from services.match.domain.race.rating import Rating
from services.match.wire.race_codec import TYPES, RaceCodec

_ENDED: Final = TYPES[RaceEnded][1]
PAGE: Final = 1_000


async def ratings_before(feeds: Feeds, ended: RaceEnded) -> dict[UUID, Rating]:
    """Ratings by account ahead of a rated race. Who is absent had none.

    The feed is read backwards from its end, until everybody was met in an earlier race or it is read up.
    """
    wanted = {account for account in ended.accounts if account is not None}
    found: dict[UUID, Rating] = {}
    _, end = await feeds.read_feed("match", Part.FACTS, 1, page_size=1)
    codec, is_before = RaceCodec(), False
    for first in range(max(1, end - PAGE + 1), 1 - PAGE, -PAGE):
        start, count = max(1, first), PAGE if first >= 1 else PAGE + first - 1
        page, _ = await feeds.read_feed("match", Part.FACTS, start, page_size=count)
        for entry in reversed(page):
            if entry.event.type != _ENDED:
                continue
            race = codec.decode(entry.event)
            if not isinstance(race, RaceEnded) or not race.rated:
                continue
            if race.race_id == ended.race_id:
                is_before = True
            elif is_before:
                for account, seat in zip(race.accounts, race.ends, strict=True):
                    if account in wanted and account not in found and seat.rating is not None:
                        found[account] = Rating(seat.rating.mu, seat.rating.sigma, 1)
        if wanted <= found.keys():
            break
    return found
