"""Whoever waits for a table sits down in time, once, and with whom the rules say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from services.mcr.domain.lobby import Queue, Ticket, gather

NOW = datetime(2026, 11, 30, tzinfo=UTC)
SECOND = timedelta(seconds=1)
FILL_S, LAST_S = 20, 60

arrivals = st.lists(st.integers(0, LAST_S - 1), min_size=1, max_size=24).map(sorted)
pairs = st.sets(st.tuples(st.integers(0, 23), st.integers(0, 23)), max_size=30)


@given(arrivals, pairs)
def test_everybody_sits_down_once_within_twenty_seconds(
    seconds: list[int], have_met: set[tuple[int, int]]
) -> None:
    """A matchmaker looks once a second; three who must not meet sit down one look after the other."""
    met: dict[UUID, set[UUID]] = {}
    for one, other in have_met:
        if one != other:
            met.setdefault(UUID(int=one), set()).add(UUID(int=other))
    coming = [
        Ticket(
            UUID(int=1_000 + number), UUID(int=number), Queue.ONE, NOW + at * SECOND, NOW + timedelta(hours=1)
        )
        for number, at in enumerate(seconds)
    ]
    waiting: list[Ticket] = []
    seated: list[UUID] = []
    for second in range(LAST_S + FILL_S + 3):
        now = NOW + second * SECOND
        waiting += [ticket for ticket in coming if ticket.created_at == now]
        for table in gather(waiting, met, now, FILL_S * SECOND, all_are_here=True):
            assert 1 <= len(table) <= 4
            assert len(table) == 4 or now - min(each.created_at for each in table) >= FILL_S * SECOND
            for ticket in table:
                assert now - ticket.created_at <= (FILL_S + 2) * SECOND
                waiting.remove(ticket)
                seated.append(ticket.account_id)
        assert len(waiting) < 4, "four who wait sit down at once"

    assert waiting == []
    assert sorted(seated) == [ticket.account_id for ticket in coming]
