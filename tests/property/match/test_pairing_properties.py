"""Whatever queue there is: who plays whom keeps its promises."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import combinations
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from libs.rules.pairing.choosing import choose_tables, may_meet, meetings_again
from services.match.domain.queueing import Queue, Ticket

NOW = datetime(2026, 11, 29, 20, 0, tzinfo=UTC)

accounts = st.lists(st.integers(0, 12), max_size=12)
histories = st.dictionaries(st.integers(0, 12), st.integers(0, 12), max_size=12)


@given(accounts, histories, st.booleans())
def test_pairs_keep_their_promises(numbers: list[int], history: dict[int, int], all_are_here: bool) -> None:
    """Each ticket at most once, never oneself; who is left over could meet nobody else who is left over."""
    waiting = [
        Ticket(UUID(int=place), UUID(int=number), Queue.QUICK_MATCH, NOW, NOW + timedelta(minutes=5))
        for place, number in enumerate(numbers, 100)
    ]
    last = {UUID(int=one): {UUID(int=other)} for one, other in history.items()}
    pairs = choose_tables(waiting, last, 2, all_are_here=all_are_here)
    taken = [ticket.ticket_id for pair in pairs for ticket in pair]
    left = [ticket for ticket in waiting if ticket.ticket_id not in taken]
    again = [pair for pair in pairs if not may_meet(pair[0], pair[1], last)]

    assert len(taken) == len(set(taken))
    assert all(first.account_id != second.account_id for first, second in pairs)
    assert not any(may_meet(one, other, last) for one in left for other in left)
    assert len(again) <= (1 if all_are_here else 0)
    if again and len(set(numbers)) == len(numbers):
        # Only where no two of those who wait besides could have taken them on.
        (one, other) = again[0]
        assert not any(
            may_meet(a, one, last) and may_meet(b, other, last)
            for pair in pairs
            if pair is not again[0]
            for a, b in (pair, pair[::-1])
        )


@given(st.integers(0, 20))
def test_strangers_play_in_the_order_of_arrival(count: int) -> None:
    """Without history neighbours play."""
    waiting = [
        Ticket(UUID(int=n), UUID(int=n), Queue.QUICK_MATCH, NOW, NOW + timedelta(minutes=5))
        for n in range(count)
    ]

    assert choose_tables(waiting, {}, 2, all_are_here=True) == list(
        zip(waiting[::2], waiting[1::2], strict=False)
    )


@given(
    st.lists(st.integers(0, 14), max_size=14),
    st.dictionaries(st.integers(0, 14), st.frozensets(st.integers(0, 14), max_size=3), max_size=14),
)
def test_tables_of_four_keep_their_promises(numbers: list[int], history: dict[int, frozenset[int]]) -> None:
    """Each ticket at most once, never oneself; nobody waits where four could play.

    No table with fewer meetings again was possible for the one who waited longest.
    """
    waiting = [
        Ticket(UUID(int=place), UUID(int=number), Queue.ARENA, NOW, NOW + timedelta(minutes=5))
        for place, number in enumerate(numbers, 100)
    ]
    last = {UUID(int=one): {UUID(int=other) for other in others} for one, others in history.items()}
    tables = choose_tables(waiting, last, 4, all_are_here=True)
    taken = [ticket.ticket_id for table in tables for ticket in table]
    left = [ticket for ticket in waiting if ticket.ticket_id not in taken]

    assert len(taken) == len(set(taken))
    assert all(len({ticket.account_id for ticket in table}) == 4 for table in tables)
    assert len({ticket.account_id for ticket in left}) < 4
    if tables and len(set(numbers)) == len(numbers):
        possible = (meetings_again((waiting[0], *others), last) for others in combinations(waiting[1:], 3))
        assert tables[0][0] == waiting[0]
        assert meetings_again(tables[0], last) == min(possible)
