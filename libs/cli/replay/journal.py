"""What games brought in chips, ratings and table points, held against what the ledger booked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from libs.cli.events.feeds import Feeds, pages, range_between
from libs.cli.replay.log import Advance, FinishedPool, FinishedRace
from libs.cli.replay.table_log import FinishedTable
from libs.cli.verify.collect import SKEW
from libs.cli.verify.escrow import Moved, check_escrow
from libs.cli.verify.table import PointsMoved, points_differing, transfers_due
from libs.cli.verify.table_log import points_moved
from libs.client.session import utc_now
from libs.eventsourcing.envelope import Part
from libs.runtime.names import player_name
from services.ledger.assets import HOUSE_RATINGS, Asset
from services.ledger.wire.events import ASSET_FROM_WIRE, TRANSFER_POSTED, posted_message
from services.match.domain.pool import events as pool
from services.match.domain.race.events import RaceEnded
from services.match.wire.pool_ledger import escrow_account
from services.mcr.domain.session.events import DealFinished, TableOpened
from services.mcr.domain.session.terms import DealRow, TableTerms

SETTLED_WITHIN: Final = timedelta(minutes=1)
"""A game that ended later than so long ago may not be booked yet."""
TABLE_KEY: Final = f"table/{UUID(int=0)}/"
"""As long as what the keys of a table's transfers have in common."""


@dataclass
class Expected:
    """Games whose transfers are looked for, by a clock that says whether they must be booked."""

    now: Callable[[], datetime] = utc_now
    pools: list[FinishedPool] = field(default_factory=list)
    races: list[RaceEnded] = field(default_factory=list)
    tables: list[tuple[TableTerms, list[DealRow]]] = field(default_factory=list)

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

    def take_table(self, table: FinishedTable) -> None:
        """Look for the points of a table, if it closed long enough ago."""
        told = [event for _version, event in table.facts]
        if isinstance(told[0], TableOpened) and told[-1].occurred_at <= self.now() - SETTLED_WITHIN:
            rows = [event.row for event in told if isinstance(event, DealFinished)]
            self.tables.append((told[0].terms, rows))


async def held_against_journal(
    feeds: Feeds, expected: Expected, since: datetime | None, advance: Advance
) -> list[tuple[str, str]]:
    """Return what the ledger booked otherwise: the match, and the first difference."""
    if not expected.pools and not expected.races and not expected.tables:
        return []
    escrows = {escrow_account(game.game_id): game.game_id for game in expected.pools}
    races = {f"match/{ended.race_id}/race/": ended.race_id for ended in expected.races}
    chips: defaultdict[UUID, list[Moved]] = defaultdict(list)
    ratings: defaultdict[UUID, list[Moved]] = defaultdict(list)
    tables = {f"table/{terms.table_id}/": terms.table_id for terms, _rows in expected.tables}
    points: defaultdict[UUID, list[PointsMoved]] = defaultdict(list)
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
            table = tables.get(posted.key[: len(TABLE_KEY)])
            if table is not None:
                points[table].append(points_moved(entry.event.data))
        done += len(page)
        advance(done, wanted.count)
    return [*_of_pools(expected, chips), *_of_races(expected, ratings), *_of_tables(expected, points)]


def _of_pools(expected: Expected, chips: defaultdict[UUID, list[Moved]]) -> Iterator[tuple[str, str]]:
    for game in expected.pools:
        dealt = game.events[0]
        ended = next(event for event in game.events if isinstance(event, pool.PoolEnded))
        assert isinstance(dealt, pool.PoolDealt)
        paid = {event.seat for event in game.events if isinstance(event, pool.StakePaid)}
        found = check_escrow(game.game_id, dealt.terms, paid, ended, chips[game.game_id])
        if not found.ok:
            yield f"matches/{game.game_id}", f"ledger: {found.differences[0]}"


def _of_tables(expected: Expected, points: defaultdict[UUID, list[PointsMoved]]) -> Iterator[tuple[str, str]]:
    for terms, rows in expected.tables:
        differing = points_differing(transfers_due(terms, rows), points[terms.table_id])
        if differing:
            yield f"tables/{terms.table_id}", f"ledger: {differing[0]}"


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
