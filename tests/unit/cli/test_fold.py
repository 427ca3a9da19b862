"""The naive fold and the judgement of a board."""

from __future__ import annotations

from datetime import UTC, date, datetime

from libs.cli.demo.days import romanian_day
from libs.cli.demo.fold import points_between
from libs.cli.demo.journal import Acknowledged, Journal, quantile
from libs.cli.demo.verdict import disorder
from libs.client.results import BoardEntry, LevelResult


def _cleared(match: str, player: str, at: datetime, points: int) -> Acknowledged:
    return Acknowledged(match, player, 1, at, LevelResult(1_000, 1, points, 0))


def test_a_day_begins_at_the_romanian_midnight() -> None:
    """22:00 UTC belongs to the next day in winter, 21:00 UTC in summer."""
    assert romanian_day(datetime(2026, 11, 29, 21, 59, 59, tzinfo=UTC)) == date(2026, 11, 29)
    assert romanian_day(datetime(2026, 11, 29, 22, 0, tzinfo=UTC)) == date(2026, 11, 30)
    assert romanian_day(datetime(2026, 7, 1, 21, 0, tzinfo=UTC)) == date(2026, 7, 2)


def test_only_days_of_the_window_count_and_nothing_is_not_listed() -> None:
    """Results before and after the window, and results without points, put nobody on the board."""
    results = [
        _cleared("a", "players/1", datetime(2026, 11, 28, 12, tzinfo=UTC), 10),
        _cleared("b", "players/1", datetime(2026, 11, 29, 12, tzinfo=UTC), 20),
        _cleared("c", "players/1", datetime(2026, 11, 29, 13, tzinfo=UTC), 5),
        _cleared("d", "players/2", datetime(2026, 11, 29, 13, tzinfo=UTC), 0),
    ]

    assert points_between(results, date(2026, 11, 29), date(2026, 11, 29)) == {"players/1": 25}
    assert points_between(results, date(2026, 11, 28), date(2026, 11, 29)) == {"players/1": 35}


def test_a_match_counts_once_however_often_it_is_told() -> None:
    """An answer and a later look at the same match are one acknowledged result."""
    journal = Journal(lambda: 0.0)
    result = _cleared("a", "players/1", datetime(2026, 11, 29, tzinfo=UTC), 10)

    journal.cleared(result)
    journal.cleared(result)

    assert list(journal.results.values()) == [result]


def test_a_board_out_of_order_is_noticed() -> None:
    """Shared ranks are right; a wrong rank, a wrong order and a double player are each named."""
    good = [BoardEntry(1, "players/a", 30), BoardEntry(1, "players/b", 30), BoardEntry(3, "players/c", 10)]

    assert disorder(good) == []
    assert "has rank 2, by points it is 3" in disorder([*good[:2], BoardEntry(2, "players/c", 10)])[0]
    assert "not in the order" in disorder([good[1], good[0]])[0]
    assert "comes twice" in disorder([good[0], good[0]])[0]


def test_quantiles_are_observed_values() -> None:
    """The nearest rank: p50 of three is the middle one, p99 of few is the largest."""
    assert quantile([], 0.5) == 0
    assert (quantile([3, 1, 2], 0.5), quantile([3, 1, 2], 0.99)) == (2, 3)
