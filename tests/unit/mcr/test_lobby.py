"""Who sits together and where, and how long it may take."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from random import Random
from uuid import UUID

import pytest

from libs.rules.pairing.rematch import Answer
from libs.rules.pairing.tickets import Cancelled, Expectation
from services.mcr.domain.deal.terms import Ai, AiLevel, Person
from services.mcr.domain.lobby import (
    DRAWN_BYTES,
    QUEUE_OF,
    Queue,
    TableKind,
    Ticket,
    expected_wait,
    gather,
    occupants,
    rematch_of,
)
from services.mcr.domain.session.terms import Closing, TableTerms

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
FILL = 20 * SECOND
NOBODY: dict[UUID, set[UUID]] = {}


def account(letter: str) -> UUID:
    """The account of a letter."""
    return UUID(int=ord(letter))


def waiting(letters: str, since_s: float = 0) -> list[Ticket]:
    """A ticket for each letter, made that long ago."""
    at = NOW - since_s * SECOND
    return [
        Ticket(UUID(int=1000 + ord(letter)), account(letter), Queue.ONE, at, at + 300 * SECOND)
        for letter in letters
    ]


def tables(tickets: list[Ticket], met: dict[UUID, set[UUID]] = NOBODY) -> list[str]:
    """Who sits together, as words."""
    chosen = gather(tickets, met, NOW, FILL, all_are_here=True)
    return ["".join(chr(ticket.account_id.int) for ticket in table) for table in chosen]


@pytest.mark.parametrize(
    ("tickets", "expected"),
    [
        ([], []),
        (waiting("abcd"), ["abcd"]),
        (waiting("abcdefghi"), ["abcd", "efgh"]),
        (waiting("a", 19.999), []),
        (waiting("a", 20), ["a"]),
        (waiting("a", 20) + waiting("bc"), ["abc"]),
        (waiting("abcd") + waiting("ef", 20), ["abcd", "ef"]),
        (waiting("ab", 19), []),
    ],
)
def test_four_sit_together_and_fewer_once_the_first_has_waited(
    tickets: list[Ticket], expected: list[str]
) -> None:
    """In the order of arrival."""
    assert tables(tickets) == expected


def test_who_met_last_sits_apart_unless_nobody_else_waits() -> None:
    """Ana and Ben have just met: Cem sits with Ana, Ben is next; the two alone meet again."""
    met = {account("a"): {account("b")}, account("b"): {account("a")}}
    assert tables(waiting("abc", 20), met) == ["ac"]
    assert tables(waiting("ab", 20), met) == ["ab"]


def test_nobody_sits_down_early_while_more_may_wait() -> None:
    """What was looked at are not all that wait."""
    assert gather(waiting("abc", 30), NOBODY, NOW, FILL, all_are_here=False) == []


def test_every_order_of_seats_comes_up_about_as_often() -> None:
    """Of 2,400 draws each of the 24 between 60 and 140 times: five deviations off the mean."""
    random = Random(20261130)
    four = [account(letter) for letter in "abcd"]
    drawn = Counter(occupants(four, AiLevel.MIDDLE, random.randbytes(DRAWN_BYTES)) for _ in range(2_400))
    assert set(drawn) == {tuple(map(Person, order)) for order in permutations(four)}
    assert all(60 <= count <= 140 for count in drawn.values())


def test_ai_players_of_the_level_sit_on_the_other_seats() -> None:
    """Three of them beside one person."""
    seats = occupants([account("a")], AiLevel.STRONG, bytes(range(DRAWN_BYTES)))
    assert Counter(seats) == {Person(account("a")): 1, Ai(AiLevel.STRONG): 3}


@pytest.mark.parametrize(
    ("waited_s", "known", "expected_s"),
    [
        (0, Expectation((), False), 20),
        (15, Expectation((), False), 5),
        (25, Expectation((), False), 1),
        (0, Expectation((), False, NOW - 12 * SECOND), 8),
        (0, Expectation((), True, NOW), 1),
        (0, Expectation((2 * SECOND, 4 * SECOND, 9 * SECOND), False), 4),
        (0, Expectation((29 * SECOND,) * 3, False), 20),
    ],
)
def test_the_expected_wait_ends_when_the_table_is_filled(
    waited_s: float, known: Expectation, expected_s: float
) -> None:
    """At the latest; sooner where others have not waited for so long of late."""
    (ticket,) = waiting("a", waited_s)
    assert expected_wait(ticket, known, NOW, FILL) == expected_s * SECOND


def test_who_waits_no_more_is_told_no_wait() -> None:
    """Cancelled, or at the end of the time."""
    (ticket,) = waiting("a")
    known = Expectation((), False)
    assert expected_wait(replace(ticket, standing=Cancelled(NOW)), known, NOW, FILL) is None
    assert expected_wait(replace(ticket, expires_at=NOW), known, NOW, FILL) is None


def test_queues_are_told_by_their_deals() -> None:
    """One, four, eight, sixteen."""
    assert [queue.deals for queue in Queue] == [1, 4, 8, 16] == list(QUEUE_OF)


def test_a_table_that_was_played_to_its_end_offers_the_same_again() -> None:
    """To its persons, by seat; the level is that of its AI players."""
    seats = (Ai(AiLevel.EASY), Person(account("b")), Ai(AiLevel.EASY), Person(account("a")))
    terms = TableTerms(UUID(int=1), seats, 9, private=True)
    offer = rematch_of(terms, Closing.PLAYED, NOW)
    assert offer is not None
    assert offer.kind == TableKind(9, AiLevel.EASY, private=True)
    assert (offer.accounts, offer.answers) == ((account("b"), account("a")), (Answer.NONE,) * 2)
    assert offer.expires_at == NOW + 30 * SECOND


@pytest.mark.parametrize("closing", [Closing.ABANDONED, Closing.ABORTED])
def test_no_other_table_offers_one(closing: Closing) -> None:
    """Nor one of AI players alone."""
    assert rematch_of(TableTerms(UUID(int=1), (Person(account("a")), *[Ai()] * 3)), closing, NOW) is None
    assert rematch_of(TableTerms(UUID(int=1), (Ai(),) * 4), Closing.PLAYED, NOW) is None
