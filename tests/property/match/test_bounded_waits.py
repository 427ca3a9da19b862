"""Nobody waits for ever: neither last opponents nor odd numbers hold up anybody for long.

A queue is lived through second by second: players come in an order that Hypothesis chooses, those who have
played come again and again, and meet whom the queue gives them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.rules.pairing.choosing import Met
from services.match.domain.queueing import GATHERED_AFTER, Queue, Table, Ticket, gather
from services.match.domain.race.waiting import choose_races

START = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
PLAYERS = 14
arrivals = st.lists(st.lists(st.integers(0, PLAYERS - 1), max_size=5), max_size=40)
"""Who comes in each second; who waits already does not come."""
gathering = pytest.mark.parametrize("queue", [Queue.RACE, Queue.POOL])
Choose = Callable[[Sequence[Ticket], Met, datetime], list[Table]]


def _choose(queue: Queue) -> Choose:
    """Who plays whom now, where all tickets there are can be seen."""
    if queue is Queue.RACE:
        return lambda waiting, met, now: choose_races(waiting, met, now, all_are_here=True)
    return lambda waiting, met, now: gather(waiting, met, queue, now, all_are_here=True)


@dataclass
class Life:
    """A queue, who waits in it, and what its players remember."""

    queue: Queue
    now: datetime = START
    waiting: list[Ticket] = field(default_factory=list)
    met: dict[UUID, frozenset[UUID]] = field(default_factory=dict)
    overtaken_by: dict[UUID, set[UUID]] = field(default_factory=dict)
    """Who played while a ticket was the first of all in the queue."""
    may_overtake: dict[UUID, set[UUID]] = field(default_factory=dict)
    """Last opponents of a ticket's player when it came: nobody becomes one while it waits."""
    tables_before: dict[UUID, int] = field(default_factory=dict)
    """How many tables began while a ticket waited."""
    ahead: dict[UUID, int] = field(default_factory=dict)
    """How many waited when a ticket came."""
    made: int = 0

    def arrive(self, numbers: Sequence[int]) -> None:
        """Players come who do not wait yet."""
        for number in numbers:
            account = UUID(int=number)
            if any(ticket.account_id == account for ticket in self.waiting):
                continue
            ticket = Ticket(
                UUID(int=1_000 + len(self.ahead)), account, self.queue, self.now, self.now + 300 * SECOND
            )
            enemies = {one for one, others in self.met.items() if account in others}
            self.may_overtake[ticket.ticket_id] = enemies | set(self.met.get(account, ()))
            self.overtaken_by[ticket.ticket_id] = set()
            self.tables_before[ticket.ticket_id] = 0
            self.ahead[ticket.ticket_id] = len(self.waiting)
            self.waiting.append(ticket)

    def pass_second(self) -> list[Table]:
        """Matches are made of those who wait, until there are none to be made."""
        begun: list[Table] = []
        first = self.waiting[0] if self.waiting else None
        while tables := _choose(self.queue)(self.waiting, self.met, self.now):
            for table in tables:
                self._begin(table)
            begun += tables
        if first is not None and first in self.waiting:
            self.overtaken_by[first.ticket_id] |= {each.account_id for table in begun for each in table}
        self.now += SECOND
        return begun

    def _begin(self, table: Table) -> None:
        seated = {ticket.ticket_id for ticket in table}
        self.waiting = [ticket for ticket in self.waiting if ticket.ticket_id not in seated]
        for ticket in self.waiting:
            self.tables_before[ticket.ticket_id] += 1
        accounts = frozenset(ticket.account_id for ticket in table)
        assert len(accounts) == len(table), "nobody plays against oneself"
        for account in accounts:
            self.met[account] = accounts - {account}


@given(arrivals)
def test_only_last_opponents_play_before_the_first_of_a_queue_of_two(seconds: list[list[int]]) -> None:
    """Each pair that does makes two of them forget the first one: so the wait is bounded by their number."""
    life = Life(Queue.QUICK_MATCH)
    for numbers in seconds:
        life.arrive(numbers)
        life.pass_second()
        for ticket in life.waiting:
            assert life.overtaken_by[ticket.ticket_id] <= life.may_overtake[ticket.ticket_id]


@pytest.mark.parametrize("queue", [Queue.ARENA, Queue.RACE, Queue.POOL])
@given(arrivals)
def test_every_table_brings_one_who_waits_nearer_to_the_first_place(
    queue: Queue, seconds: list[list[int]]
) -> None:
    """In the queues of more: no more tables begin before a ticket's own than tickets were ahead of it."""
    life = Life(queue)
    for numbers in seconds:
        life.arrive(numbers)
        life.pass_second()
        for ticket in life.waiting:
            assert life.tables_before[ticket.ticket_id] <= life.ahead[ticket.ticket_id]


@gathering
@given(arrivals)
def test_where_two_are_enough_the_first_one_plays_ten_seconds_after_the_second(
    queue: Queue, seconds: list[list[int]]
) -> None:
    """However odd their number is and whoever met whom: nobody can keep the first one waiting longer."""
    life = Life(queue)
    for numbers in [*seconds, *[[]] * 12]:
        life.arrive(numbers)
        life.pass_second()
        if len(life.waiting) >= 2:
            assert life.now - SECOND < life.waiting[1].created_at + GATHERED_AFTER

    assert len(life.waiting) < 2


@given(st.integers(0, 13))
def test_an_odd_number_leaves_less_than_a_table_waiting(count: int) -> None:
    """At once in the queues of full tables, also when all of them have just played each other."""
    for queue in (Queue.QUICK_MATCH, Queue.ARENA):
        life = Life(queue)
        for _ in range(2):
            life.arrive(range(count))
            life.pass_second()
            assert len(life.waiting) < queue.seats
