"""Seating as it went wrong elsewhere: players who wait for nobody, and the same players again and again."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta

from services.tournament.domain.tournament.state import Finished
from services.tournament.domain.tournament.words import Ending
from tests.support.tournaments import ABSENT, TERMS, TournamentPlay, scored

TEN = replace(TERMS, rounds=(1,) * 10, duration=timedelta(hours=4))


def test_a_silent_player_holds_a_seat_twice_and_nobody_waits() -> None:
    """Five of whom one never moves: every round begins on time with all, the third with the other four."""
    play = TournamentPlay(replace(TERMS, rounds=(1, 1, 1))).started(5)
    results = {player: scored(100 + player) for player in range(1, 5)}
    seated = []
    for number in range(3):
        seated.append(sorted(player for seats in play.seats for player in seats))
        assert sorted(len(seats) for seats in play.seats) == ([2, 3] if number < 2 else [4])
        play.report_all(results | {5: ABSENT})
        play.wait(10 * (number + 1))

    assert seated == [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5], [1, 2, 3, 4]]
    assert play.points[5] == 0
    assert play.shaped(Finished).reason is Ending.ROUNDS
    assert 5 not in play.paid


def test_no_foursome_meets_again_in_ten_rounds_of_twelve() -> None:
    """The same always win, so that the same are always neighbours; everybody plays every round."""
    play = TournamentPlay(TEN).started(12)
    foursomes: Counter[frozenset[int]] = Counter()
    for number in range(10):
        assert sorted(player for seats in play.seats for player in seats) == list(range(1, 13))
        foursomes.update(map(frozenset, play.seats))
        play.report_all({player: scored(1_000 - player) for player in range(1, 13)})
        play.wait(10 * (number + 1))

    assert len(foursomes) == 30
    assert set(foursomes.values()) == {1}
