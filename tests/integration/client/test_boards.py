"""Boards through the client."""

from __future__ import annotations

from libs.client.client import SparrowClient
from libs.client.results import BoardKind
from tests.support.tiny_sparrow import TinySparrow


async def test_a_board_is_one_iteration_over_all_its_pages(client: SparrowClient, tiny: TinySparrow) -> None:
    """The iterator asks for page after page until the end."""
    tiny.points = {f"players/{number:03}": 1000 - number // 2 for number in range(25)}

    rows = [entry async for entry in client.board("daily", page_size=10)]

    assert [row.player for row in rows] == sorted(tiny.points)
    assert [row.rank for row in rows[:5]] == [1, 1, 3, 3, 5]


async def test_standings_tell_all_boards(client: SparrowClient, tiny: TinySparrow) -> None:
    """A listed player has a row on each; an unlisted one has none."""
    assert [standing.entry for standing in await client.standings()] == [None] * 10
    tiny.points = {client.profile.name: 20}

    standings = await client.standings()

    assert [standing.window.board for standing in standings] == list(BoardKind)
    rating = standings[list(BoardKind).index(BoardKind.RACE_RATING)]
    assert (rating.window.first_day, rating.window.end_time) == (None, None)
    assert [standing.entry.points for standing in standings if standing.entry] == [20, 20, 20]
