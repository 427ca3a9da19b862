"""The games and tables of a range, each run again; what came out otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from libs.cli.events.feeds import Feeds
from libs.cli.replay.attempts import rerun_attempt
from libs.cli.replay.journal import Expected, held_against_journal
from libs.cli.replay.log import Advance, Finished, FinishedAttempt, FinishedMatch, FinishedRace, Games
from libs.cli.replay.matches import rerun_match
from libs.cli.replay.pools import rerun_pool
from libs.cli.replay.races import rerun_race
from libs.cli.replay.table_log import FinishedTable, Tables
from libs.cli.verify.table import verify_play
from libs.client.session import utc_now
from services.mcr.domain.deal.scorer import rule_book


@dataclass
class Rerun:
    """What was run again, and what came out otherwise: the game and the first place."""

    attempts: int = 0
    matches: int = 0
    rounds: int = 0
    races: int = 0
    pools: int = 0
    """Games of the pool, training among them."""
    tables: int = 0
    deals: int = 0
    """Of the tables."""
    events: int = 0
    running: int = 0
    differences: list[tuple[str, str]] = field(default_factory=list)


async def rerun(
    feeds: Feeds,
    since: datetime | None,
    until: datetime | None,
    advance: Advance,
    now: Callable[[], datetime] = utc_now,
) -> Rerun:
    """Run the finished games and closed tables again that were begun from `since` on and before `until`.

    Chips, ratings and table points are held against the ledger's transfers as well, once they must be booked
    by `now`.
    """
    games, found, expected = Games(since, until), Rerun(), Expected(now)
    async for game in games.finished(feeds, advance):
        name, difference = _run(game, found, expected)
        if difference is not None:
            found.differences.append((name, difference))
    tables = Tables(since, until)
    async for table in tables.finished(feeds, advance):
        _run_table(table, found, expected)
    found.running = games.running + tables.running
    found.differences += await held_against_journal(feeds, expected, since, advance)
    return found


def _run(game: Finished, found: Rerun, expected: Expected) -> tuple[str, str | None]:
    """Run one game again and count it; return its name and where it first comes otherwise."""
    if isinstance(game, FinishedMatch):
        found.matches += 1
        found.rounds += len(game.rounds)
        found.events += len(game.facts) + sum(len(events) for _id, events in game.rounds)
        return f"matches/{game.match_id}", rerun_match(game.facts, game.rounds)
    found.events += len(game.events)
    if isinstance(game, FinishedAttempt):
        found.attempts += 1
        return f"matches/{game.attempt_id}", rerun_attempt(game.events)
    expected.take(game)
    if isinstance(game, FinishedRace):
        found.races += 1
        return f"matches/{game.race_id}", rerun_race(game.events, game.before)
    found.pools += 1
    return f"matches/{game.game_id}", rerun_pool(game.events).difference


def _run_table(table: FinishedTable, found: Rerun, expected: Expected) -> None:
    """Run the deals of a table again, count them, and note where it first comes otherwise."""
    found.tables += 1
    found.deals += len(table.deals)
    found.events += len(table.facts) + sum(map(len, table.deals.values()))
    expected.take_table(table)
    wrong = [each for each in verify_play(table.facts, table.deals, rule_book) if not each.ok]
    if wrong:
        found.differences.append((f"tables/{table.table_id}", f"{wrong[0].what}: {wrong[0].differences[0]}"))
