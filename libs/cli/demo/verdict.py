"""Whether the boards show exactly the points that were acknowledged."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from libs.cli.demo.fold import points_between
from libs.cli.demo.journal import Acknowledged
from libs.client.client import SparrowClient
from libs.client.results import BoardEntry, BoardKind, BoardPage

ROWS_SHOWN = 10
_BOARDS = (BoardKind.AMR, BoardKind.WEEKLY, BoardKind.DAILY)


@dataclass(frozen=True)
class BoardVerdict:
    """The top of one board, and what differs from the fold; equal when nothing does."""

    top: BoardPage
    differences: tuple[str, ...]


async def judge(
    client: SparrowClient, results: Collection[Acknowledged], players: Collection[str]
) -> tuple[BoardVerdict, ...]:
    """Read all three boards to their ends, and every player's standings, and compare them with the fold."""
    standings = dict(zip(players, await asyncio.gather(*map(client.standings, players)), strict=True))
    verdicts = []
    for place, board in enumerate(_BOARDS):
        top = await client.board_page(board, page_size=ROWS_SHOWN)
        rows = [entry async for entry in client.board(board, page_size=200)]
        expected = points_between(results, *top.window.days)
        listed = {row.player: row.points for row in rows if row.player in standings}
        told = {
            player: own[place].entry.points  # type: ignore[union-attr]
            for player, own in standings.items()
            if own[place].entry is not None
        }
        found = [*disorder(rows), *_unequal("board", expected, listed), *_unequal("standing", expected, told)]
        verdicts.append(BoardVerdict(top, tuple(found)))
    return tuple(verdicts)


def _unequal(where: str, expected: Mapping[str, int], shown: Mapping[str, int]) -> list[str]:
    """Return a sentence for every player whose points are not the expected ones."""
    return [
        f"{where}: {player} has {shown.get(player, 0)} points, acknowledged were {expected.get(player, 0)}"
        for player in sorted(expected.keys() | shown.keys())
        if shown.get(player, 0) != expected.get(player, 0)
    ]


def disorder(rows: Sequence[BoardEntry]) -> list[str]:
    """Return a sentence for everything wrong with the order, the ranks, or a player who comes twice."""
    found = []
    if sorted(rows, key=lambda row: (-row.points, row.player)) != list(rows):
        found.append("board: the rows are not in the order of points, then names")
    if len({row.player for row in rows}) != len(rows):
        found.append("board: a player comes twice")
    first_with: dict[int, int] = {}
    for place, row in enumerate(rows, 1):
        rank = first_with.setdefault(row.points, place)
        if row.rank != rank:
            found.append(f"board: {row.player} has rank {row.rank}, by points it is {rank}")
    return found
