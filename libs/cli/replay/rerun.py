"""The games of a range, each run again; what came out otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from libs.cli.events.feeds import Feeds
from libs.cli.replay.attempts import rerun_attempt
from libs.cli.replay.log import Advance, FinishedAttempt, Games
from libs.cli.replay.matches import rerun_match


@dataclass
class Rerun:
    """What was run again, and what came out otherwise: the game and the first place."""

    attempts: int = 0
    matches: int = 0
    rounds: int = 0
    events: int = 0
    running: int = 0
    differences: list[tuple[str, str]] = field(default_factory=list)


async def rerun(feeds: Feeds, since: datetime | None, until: datetime | None, advance: Advance) -> Rerun:
    """Run the finished games again that were begun from `since` on and before `until`."""
    games, found = Games(since, until), Rerun()
    async for game in games.finished(feeds, advance):
        if isinstance(game, FinishedAttempt):
            found.attempts += 1
            found.events += len(game.events)
            name, difference = f"matches/{game.attempt_id}", rerun_attempt(game.events)
        else:
            found.matches += 1
            found.rounds += len(game.rounds)
            found.events += len(game.facts) + sum(len(events) for _id, events in game.rounds)
            name, difference = f"matches/{game.match_id}", rerun_match(game.facts, game.rounds)
        if difference is not None:
            found.differences.append((name, difference))
    found.running = games.running
    return found
