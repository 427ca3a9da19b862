"""Who plays whom, what becomes of tickets, and what is told about the wait."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from libs.rules.pairing.choosing import Met, choose_tables
from libs.rules.pairing.tickets import (
    Cancelled,
    Expectation,
    Expired,
    Matched,
    Standing,
    TicketRefusal,
    Waiting,
    cancel,
    settle,
)
from services.match.domain.queueing import Queue, Ticket, expected_wait

NOW = datetime(2026, 11, 29, 20, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def account(letter: str) -> UUID:
    """The account of this letter."""
    return UUID(int=ord(letter))


def ticket(letter: str = "a", standing: Standing | None = None) -> Ticket:
    """A ticket of this account, valid for a minute."""
    made = Ticket(UUID(int=1000 + ord(letter)), account(letter), Queue.QUICK_MATCH, NOW, NOW + 60 * SECOND)
    return made if standing is None else Ticket(*_fields(made), standing)


def _fields(made: Ticket) -> tuple[UUID, UUID, Queue, datetime, datetime]:
    return made.ticket_id, made.account_id, made.queue, made.created_at, made.expires_at


def met(*groups: str) -> Met:
    """The last opponents: "ab" means that a met b last, "abcd" that it met b, c and d."""
    return {account(group[0]): set(map(account, group[1:])) for group in groups}


def together(*tables: str) -> Met:
    """The last opponents of those who all met each other last."""
    return met(*(one + table.replace(one, "") for table in tables for one in table))


def tables_of(letters: str, last: Met, seats: int = 2, *, all_are_here: bool = True) -> list[str]:
    """The tables of those who wait in this order, as letters."""
    chosen = choose_tables([ticket(letter) for letter in letters], last, seats, all_are_here=all_are_here)
    return ["".join(chr(each.account_id.int) for each in pair) for pair in chosen]


@pytest.mark.parametrize(
    ("waiting", "last", "expected"),
    [
        ("", met(), []),
        ("a", met(), []),
        ("ab", met(), ["ab"]),
        ("abcde", met(), ["ab", "cd"]),  # first come, first served
        ("aa", met(), []),  # never oneself
        ("aab", met(), ["ab"]),
        ("ab", met("ab", "ba"), ["ab"]),  # nobody else waits
        ("abc", met("ab", "ba"), ["ac"]),  # somebody else waits
        ("abc", met("ba"), ["ac"]),  # b's last opponent was a, whoever a met since
        ("abcd", met("ab", "ba"), ["ac", "bd"]),
        ("abcd", met("cd", "dc"), ["ac", "bd"]),  # they change partners rather than meet again
        ("abcd", met("cd", "dc", "ac", "db"), ["ad", "bc"]),
        ("abc", met("ab", "bc", "ca"), ["ab"]),  # each has met the next: somebody has to
    ],
)
def test_who_plays_whom(waiting: str, last: Met, expected: list[str]) -> None:
    """Oldest first, never oneself, not the last opponent while another waits."""
    assert tables_of(waiting, last) == expected


@pytest.mark.parametrize(
    ("waiting", "last", "expected"),
    [
        ("abc", met(), []),
        ("abcd", met(), ["abcd"]),
        ("abcdefghi", met(), ["abcd", "efgh"]),  # first come, first served
        ("aabc", met(), []),  # never oneself
        ("aabcd", met(), ["abcd"]),
        ("abcd", together("abcd"), ["abcd"]),  # nobody else waits
        ("abcde", together("abcd"), ["abce"]),  # as few as can be
        ("abcdefgh", together("abcd", "efgh"), ["abef", "cdgh"]),  # two each: none is better
        ("abcdefg", together("abcd"), ["aefg"]),  # others wait: nobody meets again
        ("abcdefg", met("eabc"), ["abcd"]),  # in the order of arrival
        ("abcdef", met("ba"), ["acde"]),  # b's last opponent was a, whoever a met since
    ],
)
def test_who_plays_an_arena(waiting: str, last: Met, expected: list[str]) -> None:
    """Oldest first, never oneself; of the last match's opponents as few as those who wait allow."""
    assert tables_of(waiting, last, 4) == expected


def test_last_opponents_wait_while_more_may_be_waiting() -> None:
    """With only the first part of the queue in sight, two last opponents are left for the next look."""
    assert tables_of("ab", met("ab", "ba"), all_are_here=False) == []


def test_a_ticket_expires_at_its_instant() -> None:
    """Not a microsecond before; what ended otherwise stays as it ended."""
    end = NOW + 60 * SECOND

    assert settle(ticket(), end - datetime.resolution).standing == Waiting()
    assert settle(ticket(), end).standing == Expired(end)
    assert settle(ticket(standing=Matched(UUID(int=7), NOW)), end).standing == Matched(UUID(int=7), NOW)


@pytest.mark.parametrize(
    ("standing", "at", "expected"),
    [
        (Waiting(), NOW, Cancelled(NOW)),
        (Cancelled(NOW - SECOND), NOW, Cancelled(NOW - SECOND)),
        (Waiting(), NOW + 60 * SECOND, TicketRefusal.TICKET_EXPIRED),
        (Expired(NOW), NOW, TicketRefusal.TICKET_EXPIRED),
        (Matched(UUID(int=7), NOW), NOW, TicketRefusal.TICKET_MATCHED),
    ],
)
def test_cancelling(standing: Standing, at: datetime, expected: Standing | TicketRefusal) -> None:
    """What waits is cancelled, what was cancelled stays so, everything else is too late."""
    outcome = cancel(ticket(standing=standing), account("a"), at)

    assert (outcome if isinstance(outcome, TicketRefusal) else outcome.standing) == expected
    assert cancel(ticket(standing=standing), account("b"), at) is TicketRefusal.NOT_YOURS


@pytest.mark.parametrize(
    ("waits_s", "another", "waited_s", "expected_s"),
    [
        ([], False, 0, None),
        ([9, 9], False, 0, None),  # two say nothing
        ([5, 9, 30], False, 0, 9),
        ([5, 9, 30], True, 0, 1),
        ([0, 0, 0, 0], False, 0, 1),  # never 0 or less
        ([5, 9, 30], False, 6, None),  # too few waited that long
        ([5, 9, 30, 40, 50], False, 6, 24),  # the median of those that were longer
        ([500, 900, 3000], False, 0, 60),  # never beyond its end
        ([500, 900, 3000], False, 59, 1),
        ([5, 9, 30], False, 60, None),
    ],
)
def test_the_expected_wait(waits_s: list[int], another: bool, waited_s: int, expected_s: int | None) -> None:
    """From recent waits that were at least as long; at least a second, at most the rest; else nothing."""
    known = Expectation(tuple(wait * SECOND for wait in waits_s), another)
    told = expected_wait(ticket(), known, NOW + waited_s * SECOND)

    assert told == (None if expected_s is None else expected_s * SECOND)
    assert expected_wait(ticket(standing=Cancelled(NOW)), known, NOW) is None
