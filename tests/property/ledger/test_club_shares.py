"""A membership's share of a window is exactly the instants that both hold."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from services.ledger.domain.calendar import day_end, day_start, ledger_day
from services.ledger.domain.memberships import Interval, share_of
from services.ledger.domain.windows import Board, Window, window_on

MICROSECOND = timedelta(microseconds=1)
DAYS = st.dates(date(2025, 3, 20), date(2026, 4, 10))
BOARDS = st.sampled_from([Board.AMR, Board.WEEKLY, Board.DAILY])


@st.composite
def instants(draw: st.DrawFn) -> datetime:
    """A Romanian midnight, one just beside it, or any instant."""
    midnight = day_start(draw(DAYS))
    beside = st.sampled_from([timedelta(0), MICROSECOND, -MICROSECOND])
    anywhere = st.timedeltas(timedelta(0), timedelta(hours=25))
    return (midnight + draw(st.one_of(beside, anywhere))).astimezone(UTC)


def is_shared(interval: Interval, window: Window, instant: datetime) -> bool:
    """The definition: joined_at counts, left_at does not, and the day is one of the window's."""
    inside = interval.joined_at <= instant and (interval.left_at is None or instant < interval.left_at)
    return inside and window.first_day <= ledger_day(instant) <= window.last_day


def times_counted(interval: Interval, window: Window, instant: datetime) -> int:
    """How often what occurred at an instant is in the share."""
    share = share_of(interval, window)
    if share is None:
        return 0
    if share.is_all:
        return int(window.start <= instant < window.end)
    day = ledger_day(instant)
    whole = share.days is not None and share.days.first <= day <= share.days.last
    return whole + sum(edge.day == day and edge.start <= instant < edge.end for edge in share.edges)


@settings(max_examples=400, deadline=None)
@given(BOARDS, DAYS, instants(), st.one_of(st.none(), instants()), st.lists(instants(), max_size=20))
def test_every_instant_of_window_and_membership_is_shared_once(
    board: Board, day: date, joined_at: datetime, left_at: datetime | None, probes: list[datetime]
) -> None:
    """Days as a whole, days in part and the whole window never overlap, miss nothing, add nothing."""
    if left_at is not None and left_at < joined_at:
        joined_at, left_at = left_at, joined_at
    interval, window = Interval("ana", joined_at, left_at), window_on(board, day)
    edges = [joined_at, window.start, window.end, day_start(ledger_day(joined_at)), day_end(window.first_day)]
    edges += [left_at, day_start(ledger_day(left_at))] if left_at is not None else []
    for probe in [*probes, *edges, *(edge - MICROSECOND for edge in edges)]:
        assert times_counted(interval, window, probe) == is_shared(interval, window, probe), probe


@given(BOARDS, DAYS, instants(), st.one_of(st.none(), instants()))
def test_edges_lie_inside_their_days(
    board: Board, day: date, joined_at: datetime, left_at: datetime | None
) -> None:
    """An edge is part of one day that the window counts, and never empty; at most two there are."""
    if left_at is not None and left_at < joined_at:
        joined_at, left_at = left_at, joined_at
    window = window_on(board, day)
    share = share_of(Interval("ana", joined_at, left_at), window)
    edges = share.edges if share is not None else ()

    assert len(edges) <= 2
    for edge in edges:
        assert day_start(edge.day) <= edge.start < edge.end <= day_end(edge.day)
        assert window.first_day <= edge.day <= window.last_day
