"""What the bots of a demo saw acknowledged at MCR tables, and whether the boards show exactly that."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final

from libs.cli.demo.days import romanian_day
from libs.client.client import SparrowClient
from libs.client.results import BoardKind

OF_PERSONS: Final = frozenset({BoardKind.MCR_YEAR, BoardKind.MCR_WEEKLY, BoardKind.MCR_DAILY})
AGAINST_AI: Final = frozenset({BoardKind.MCR_AI_YEAR, BoardKind.MCR_AI_WEEKLY, BoardKind.MCR_AI_DAILY})


@dataclass(frozen=True)
class DealPoints:
    """What a deal that ended moved."""

    at: datetime
    points: Mapping[str, int]
    """By player, of the persons at the table."""
    moved: int
    """Of all seats together."""


@dataclass
class TableJournal:
    """Everything that tables told."""

    deals: dict[tuple[str, int], DealPoints] = field(default_factory=dict)
    """Deals that have ended, by table and number."""
    unended: dict[str, frozenset[str]] = field(default_factory=dict)
    """Tables that went on when their bots had stopped, with their persons."""
    lost: list[str] = field(default_factory=list)
    """A sentence for every acknowledged discard that the table never told."""

    def ended(self, table: str, number: int, deal: DealPoints) -> None:
        """Note the end of a deal; every seat is told the same."""
        key = (table, number)
        assert self.deals.get(key, deal) == deal, "one deal, two results"
        self.deals[key] = deal

    def points(self, first_day: date, last_day: date, *, of_persons: bool) -> Counter[str]:
        """The points of each player by deals of these days: the naive fold."""
        points: Counter[str] = Counter()
        for deal in self.deals.values():
            is_counted = (len(deal.points) > 1) == of_persons
            if is_counted and first_day <= romanian_day(deal.at) <= last_day:
                points.update(deal.points)
        return points


async def judge_tables(clients: Mapping[str, SparrowClient], journal: TableJournal) -> tuple[str, ...]:
    """Return a sentence for every lost discard, uneven deal, and player whose table points differ.

    Who sat at a table that went on may have more by now, and is not judged by boards.
    """
    in_doubt = frozenset[str]().union(*journal.unended.values())
    uneven = [
        f"tables: deal {number} of {table} moved {deal.moved} points in all"
        for (table, number), deal in sorted(journal.deals.items())
        if deal.moved
    ]
    judged = [player for player in sorted(clients) if player not in in_doubt]
    told = await asyncio.gather(*(_differing(clients[player], player, journal) for player in judged))
    return (*journal.lost, *uneven, *(sentence for sentences in told for sentence in sentences))


async def _differing(client: SparrowClient, player: str, journal: TableJournal) -> Collection[str]:
    """A sentence for every board of table points that shows a player with other points."""
    found = []
    for standing in await client.standings(player):
        board = standing.window.board
        if board in OF_PERSONS | AGAINST_AI:
            expected = journal.points(*standing.window.days, of_persons=board in OF_PERSONS)[player]
            shown = 0 if standing.entry is None else standing.entry.points
            if shown != expected:
                found.append(f"{board.value}: {player} has {shown}, acknowledged were {expected}")
    return found
