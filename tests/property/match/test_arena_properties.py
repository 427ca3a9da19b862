"""Random play of four seats: a match ends, its sums are right, and its prizes are never too much."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from services.match.domain.rivals.events import JokerUsed, SeatRemovedPair, SeatTouchedBlocked
from services.match.domain.rivals.placing import ARENA_PRIZES, shared_prizes
from services.match.domain.rivals.sequence import left_seats
from services.match.domain.rivals.state import Countdown, Over, Playing
from tests.support.arenas import Arena, ms_of
from tests.support.rounds import Table, fold

STEPS_MS = (0, 1, 400, 3_000, 9_000, 19_999, 20_000)
LONGEST_MS = 3 * 300_000 + 2 * 10_000


def _score(table: Table, seat: int) -> int:
    """What the events of a round add up to for a seat."""
    score = 0
    for event in table.events:
        if isinstance(event, SeatRemovedPair | JokerUsed) and event.seat == seat:
            score += event.worth
        elif isinstance(event, SeatTouchedBlocked) and event.seat == seat:
            score = max(0, score - 100)
    return score


def _step(table: Table, now: int, rng: Random) -> None:
    """One order of one seat, or none."""
    seat, what = rng.randrange(4), rng.randrange(13)
    if what == 0:
        table.leave(seat, now)
        return
    table.until(now)
    if not isinstance(table.state, Playing) or what > 8:
        return
    position = table.state.players[seat].board.position
    left = [tile for tile in range(position.layout.size) if position.present >> tile & 1]
    if table.state.players[seat].out is None and len(left) >= 2 and what < 7:
        first = left[0]
        partner = next(tile for tile in left[1:] if position.faces[tile] == position.faces[first])
        lifted = table.state.players[seat].board.lifted
        if lifted != first:
            table.touch(seat, first, now)
        if isinstance(table.state, Playing) and table.state.players[seat].board.lifted == first:
            table.touch(seat, partner, now, crucial=rng.random() < 0.5)
        return
    table.touch(seat, rng.randrange(position.layout.size), now)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_random_arenas_end_with_the_sums_of_their_rounds(seed: int) -> None:
    """Whatever four seats do: three rounds at most, sums and places of what the events say, shared prizes."""
    rng = Random(seed)
    arena, now, left = Arena.begun(), 0, set[int]()
    while arena.ended is None:
        now += rng.choice(STEPS_MS)
        _step(arena.table, now, rng)
        if isinstance(arena.table.state, Countdown | Playing | Over):
            left |= set(left_seats(arena.table.state))
        if isinstance(arena.table.state, Over):
            arena.end_round(late_ms=rng.choice((0, 90)))
            now = max(now, ms_of(arena.table.events[-1].occurred_at))
        assert now <= LONGEST_MS + 30_000
    ended = arena.ended
    scores = [[_score(table, seat) for table in arena.played] for seat in range(4)]

    assert 1 <= len(arena.played) <= 3
    assert len(arena.played) == 3 or left == {0, 1, 2, 3}
    assert [list(each) for each in ended.round_scores] == scores
    assert list(ended.scores) == [sum(each) for each in scores]
    assert ended.points == shared_prizes(ended.scores, ARENA_PRIZES)
    for table in arena.played:
        assert fold(table.events) == table.state


@given(st.lists(st.integers(0, 5), min_size=4, max_size=4))
def test_prizes_never_exceed_their_places(scores: list[int]) -> None:
    """140 at most in all; a group that ties gets at most its places' prizes, less than a point each short."""
    points = shared_prizes(scores, ARENA_PRIZES)

    assert sum(points) <= sum(ARENA_PRIZES)
    for score in set(scores):
        group = [points[seat] for seat in range(4) if scores[seat] == score]
        above = sum(other > score for other in scores)
        prizes = sum(ARENA_PRIZES[above : above + len(group)])
        assert len(set(group)) == 1
        assert prizes - len(group) < sum(group) <= prizes
    by_score = sorted(zip(scores, points, strict=True), reverse=True)
    assert [point for _score, point in by_score] == sorted(points, reverse=True)
