"""The end of an arena: who comes where by the sum of round scores, and what that pays."""

from __future__ import annotations

import pytest

from services.match.domain.rivals.placing import ARENA_PRIZES, places, shared_prizes
from tests.support.arenas import SEATS, Arena
from tests.support.rounds import MATCH, at


def test_the_sum_of_the_round_scores_places() -> None:
    """Not the rounds that were won: the second seat wins none here, and the match."""
    arena = Arena.begun()
    end_ms = arena.play_round((6, 5, 0, 1), 0)
    end_ms = arena.play_round((0, 5, 6, 1), end_ms + 10_000)
    end_ms = arena.play_round((1, 1, 1, 2), end_ms + 10_000)
    ended = arena.ended
    assert ended is not None

    assert (ended.match_id, ended.accounts, ended.occurred_at) == (MATCH, SEATS, at(end_ms))
    assert ended.scores == (700, 1_100, 700, 400)
    assert ended.round_scores == ((600, 0, 100), (500, 500, 100), (0, 600, 100), (100, 100, 200))
    assert ended.places == (2, 1, 2, 4)
    assert ended.points == (30, 80, 30, 0)


def test_clearing_a_board_places_the_round_but_only_its_score_counts_for_the_match() -> None:
    """Who cleared is first in that round; the sums are of scores."""
    arena = Arena.begun()
    table = arena.table
    for count in range(1, 8):
        table.pair(0, 2 * count - 2, 2 * count - 1, 1_000 * count)
        if count < 7:
            table.pair(1, 2 * count - 2, 2 * count - 1, 1_000 * count, crucial=True)
    arena.end_round()
    fact = arena.facts[0]

    assert [(end.place, end.round_score, end.cleared) for end in fact.ends[:2]] == [  # type: ignore[union-attr]
        (1, 700, True),
        (2, 1_800, False),
    ]


@pytest.mark.parametrize(
    ("scores", "points"),
    [
        ((400, 300, 200, 100), (80, 40, 20, 0)),
        ((100, 200, 300, 400), (0, 20, 40, 80)),
        ((500, 500, 200, 100), (60, 60, 20, 0)),
        ((500, 200, 200, 100), (80, 30, 30, 0)),
        ((500, 200, 100, 100), (80, 40, 10, 10)),
        ((500, 500, 100, 100), (60, 60, 10, 10)),
        ((500, 500, 500, 100), (46, 46, 46, 0)),  # 140 shared by three, rounded down
        ((500, 100, 100, 100), (80, 20, 20, 20)),
        ((500, 500, 500, 500), (35, 35, 35, 35)),
        ((0, 0, 0, 0), (35, 35, 35, 35)),  # the zero rule is for quick matches and tournaments only
    ],
)
def test_equal_sums_share_the_prizes_of_the_places_they_occupy(
    scores: tuple[int, ...], points: tuple[int, ...]
) -> None:
    """Equally, rounded down; 80, 40, 20 and 0 where all differ."""
    assert shared_prizes(scores, ARENA_PRIZES) == points


def test_equal_sums_share_a_place() -> None:
    """1, 1, 3, 4."""
    assert places((500, 500, 200, 100)) == (1, 1, 3, 4)
