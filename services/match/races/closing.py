"""What finished boards and ended races leave behind in rows: best times, runs of wins, ratings."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from services.match.domain.race.events import RaceEnded
from services.match.domain.race.group import race_over
from services.match.domain.race.state import Race, Racer
from services.match.domain.rematch_offers import after_race
from services.match.races import store as rows
from services.match.rematches import store as rematches
from services.match.watching import live


async def enter_best(connection: AsyncConnection, race: Race, seat: int, racer: Racer) -> None:
    """Keep a person's time on the board; none of a board on which the CPU played."""
    account_id, finished_ms = racer.seat.account_id, racer.finished_ms
    if account_id is None or finished_ms is None or racer.cpu_pairs:
        return
    difficulty = race.deal_of(seat).difficulty
    best = rows.Best(difficulty, race.settings.flowers_and_seasons, finished_ms, race.race_id)
    await rows.enter_best(connection, account_id, best)


async def close(connection: AsyncConnection, race: Race, ended: RaceEnded) -> None:
    """Let the group play on, with its runs of wins, or offer strangers a rematch; keep the ratings."""
    if ended.group_id is not None:
        group = await rows.load_group(connection, ended.group_id, lock=True)
        if group is not None:
            await rows.save_group(connection, race_over(group, race.race_id, ended.accounts, ended.ends))
    offer = after_race(ended)
    if offer is not None:
        await rematches.OFFERS.insert(connection, offer)
    await live.end(connection, race.race_id, ended.occurred_at)
    for account_id, end in zip(ended.accounts, ended.ends, strict=True):
        if account_id is not None and end.rating is not None:
            await rows.enter_rating(connection, account_id, end.rating.mu, end.rating.sigma)
