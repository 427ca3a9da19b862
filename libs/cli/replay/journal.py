"""What games brought in chips and ratings, held against what the ledger booked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from libs.cli.events.feeds import Feeds, pages, range_between
from libs.cli.replay.log import Advance, FinishedPool, FinishedRace
from libs.cli.verify.collect import SKEW
from libs.cli.verify.escrow import Moved, check_escrow
from libs.client.session import utc_now
from libs.eventsourcing.envelope import Part
from libs.runtime.names import player_name
from services.ledger.assets import HOUSE_RATINGS, Asset
from services.ledger.wire.events import ASSET_FROM_WIRE, TRANSFER_POSTED, posted_message
from services.match.domain.pool import events as pool
from services.match.domain.race.events import RaceEnded
from services.match.wire.pool_ledger import escrow_account

SETTLED_WITHIN: Final = timedelta(minutes=1)
"""A game that ended later than so long ago may not be booked yet."""


@dataclass
class Expected:
    """Games whose transfers are looked for, by a clock that says whether they must be booked."""

    now: Callable[[], datetime] = utc_now
    pools: list[FinishedPool] = field(default_factory=list)
    races: list[RaceEnded] = field(default_factory=list)

    def take(self, game: FinishedPool | FinishedRace) -> None:
        """Look for what a game brought, if it brought chips or ratings and ended long enough ago."""
        last = game.events[-1]
        if last.occurred_at > self.now() - SETTLED_WITHIN:
            return
        if isinstance(game, FinishedPool):
            first = game.events[0]
            assert isinstance(first, pool.PoolDealt)
            if not first.terms.is_training:
                self.pools.append(game)
        elif isinstance(last, RaceEnded) and last.rated:
            self.races.append(last)


async def held_against_journal(
    feeds: Feeds, expected: Expected, since: datetime | None, advance: Advance
) -> list[tuple[str, str]]:
    """Return what the ledger booked otherwise: the match, and the first difference."""
    if not expected.pools and not expected.races:
        return []
    escrows = {escrow_account(game.game_id): game.game_id for game in expected.pools}
    races = {f"match/{ended.race_id}/race/": ended.race_id for ended in expected.races}
    chips: defaultdict[UUID, list[Moved]] = defaultdict(list)
    ratings: defaultdict[UUID, list[Moved]] = defaultdict(list)
    begin = None if since is None else since - SKEW
    wanted = await range_between(feeds, "ledger", Part.FACTS, begin, None)
    done = 0
    async for page in pages(feeds, wanted):
        for entry in page:
            if entry.event.type != TRANSFER_POSTED:
                continue
            posted = posted_message(entry.event.data)
            moved = Moved(posted.key, posted.debit, posted.credit, posted.amount, posted.reverses)
            asset = ASSET_FROM_WIRE[posted.asset]
            game = escrows.get(posted.debit) or escrows.get(posted.credit)
            race = races.get(posted.key.rpartition("/")[0] + "/")
            if asset is Asset.CHIP and game is not None:
                chips[game].append(moved)
            elif asset is Asset.RATING and race is not None:
                ratings[race].append(moved)
        done += len(page)
        advance(done, wanted.count)
    return [*_of_pools(expected, chips), *_of_races(expected, ratings)]


def _of_pools(expected: Expected, chips: defaultdict[UUID, list[Moved]]) -> Iterator[tuple[str, str]]:
    for game in expected.pools:
        dealt = game.events[0]
        ended = next(event for event in game.events if isinstance(event, pool.PoolEnded))
        assert isinstance(dealt, pool.PoolDealt)
        paid = {event.seat for event in game.events if isinstance(event, pool.StakePaid)}
        found = check_escrow(game.game_id, dealt.terms, paid, ended, chips[game.game_id])
        if not found.ok:
            yield f"matches/{game.game_id}", f"ledger: {found.differences[0]}"


def _of_races(expected: Expected, ratings: defaultdict[UUID, list[Moved]]) -> Iterator[tuple[str, str]]:
    for ended in expected.races:
        wanted = set[Moved]()
        for account, end in zip(ended.accounts, ended.ends, strict=True):
            if account is None or end.rating is None or end.rating.before == end.rating.after:
                continue
            player, move = player_name(account), end.rating.after - end.rating.before
            debit, credit = (HOUSE_RATINGS, player) if move > 0 else (player, HOUSE_RATINGS)
            wanted.add(Moved(f"match/{ended.race_id}/race/{account}", debit, credit, abs(move)))
        differing = wanted.symmetric_difference(ratings[ended.race_id])
        if differing:
            first = min(differing, key=lambda each: each.key)
            said = "was not booked" if first in wanted else "was booked"
            what = f"{first.chips} of rating from {first.debit} to {first.credit}"
            yield f"matches/{ended.race_id}", f"ledger: {what} {said} ({first.key})"
