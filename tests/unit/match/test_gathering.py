"""Queues whose matches begin with two to four: ten seconds after the second, or with the fourth."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from libs.rules.pairing.tickets import Expectation
from services.match.domain.queueing import GATHERED_AFTER, Queue, Ticket, expected_wait, gather
from tests.support.attempts import after


def tickets(*at_ms: int) -> list[Ticket]:
    """Tickets of different players, as they arrived."""
    return [
        Ticket(UUID(int=n), UUID(int=100 + n), Queue.POOL, after(ms), after(ms) + timedelta(minutes=5))
        for n, ms in enumerate(at_ms)
    ]


def sizes(waiting: list[Ticket], now_ms: int) -> list[int]:
    """How many sit at each table that begins then."""
    tables = gather(waiting, {}, Queue.POOL, after(now_ms), all_are_here=True)
    return [len(table) for table in tables]


def test_a_match_begins_ten_seconds_after_the_second_ticket() -> None:
    """Whoever has come by then plays, however long the first has waited."""
    assert timedelta(seconds=10) == GATHERED_AFTER
    assert sizes(tickets(0, 60_000), 69_999) == []
    assert sizes(tickets(0, 60_000), 70_000) == [2]
    assert sizes(tickets(0, 60_000, 69_000), 70_000) == [3]


def test_a_match_begins_with_the_fourth_ticket() -> None:
    """At once; those beyond wait for a second of their own."""
    assert sizes(tickets(0, 1, 2, 3), 3) == [4]
    assert sizes(tickets(0, 1, 2, 3, 4), 60_000) == [4]
    assert sizes(tickets(0, 1, 2, 3, 4, 5), 10_005) == [4, 2]


def test_last_opponents_do_not_meet_while_another_waits() -> None:
    """The second of them waits for others; with nobody else the two play again."""
    met = {UUID(int=100): {UUID(int=101)}}
    three, two = tickets(0, 1, 2), tickets(0, 1)
    (table,) = gather(three, met, Queue.POOL, after(20_000), all_are_here=True)
    (again,) = gather(two, met, Queue.POOL, after(20_000), all_are_here=True)
    assert table == (three[0], three[2])
    assert again == (two[0], two[1])


def test_one_alone_waits() -> None:
    """For ever."""
    assert sizes(tickets(0), 200_000) == []


def test_a_cancelled_second_does_not_count() -> None:
    """The ten seconds run from the one who is second now."""
    assert sizes(tickets(0, 8_000), 17_999) == []
    assert sizes(tickets(0, 8_000), 18_000) == [2]


def test_the_expected_wait_is_ten_seconds_where_another_waits() -> None:
    """Not at once, as where a full table begins."""
    (ticket,) = tickets(0)
    assert expected_wait(ticket, Expectation((), others_wait=True), after(0)) == timedelta(seconds=10)
