"""What facts of the match service earn, and which of them make no sense."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

import pytest

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.pb.sparrow.match.v1.match_event_pb2 import ArenaEnded, QuickMatchEnded
from services.ledger.wire.match_facts import ARENA_ENDED, QUICK_MATCH_ENDED, orders_of_match_fact

ANA, BOB, MATCH = str(UUID(int=10)), str(UUID(int=11)), str(UUID(int=1))
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def ended(*seats: tuple[str, int], match_id: str = MATCH) -> RecordedEvent:
    """Return the end of a quick match with (account, points) by seat."""
    message = QuickMatchEnded(
        match_id=match_id,
        seats=[QuickMatchEnded.Seat(account_id=account, points=points) for account, points in seats],
    )
    return recorded(message.SerializeToString())


def arena_ended(*seats: tuple[int, int], accounts: Sequence[int] = (10, 11, 12, 13)) -> RecordedEvent:
    """Return the end of an arena with (place, points) by seat."""
    message = ArenaEnded(
        match_id=MATCH,
        seats=[
            ArenaEnded.Seat(account_id=str(UUID(int=account)), place=place, points=points)
            for account, (place, points) in zip(accounts, seats, strict=False)
        ],
    )
    return recorded(message.SerializeToString(), ARENA_ENDED)


def recorded(data: bytes, type_: str = QUICK_MATCH_ENDED) -> RecordedEvent:
    """Return a stored fact with this data."""
    return RecordedEvent(UUID(MATCH), 9, Part.FACTS, type_, 1, NOON, NOON, UUID(int=2), None, 0, data)


@pytest.mark.parametrize("points", [15, 20])
def test_the_winner_of_a_quick_match_is_paid(points: int) -> None:
    """One transfer from the house, under a key of match and account; the loser's 0 is none."""
    (order,) = orders_of_match_fact(ended((ANA, 0), (BOB, points)), "local/match")

    assert (order.key, order.amount, order.reason) == (f"match/{MATCH}/quick/{BOB}", points, "QUICK_MATCH")
    assert (order.debit, order.credit) == ("house/points", f"players/{BOB}")
    assert (order.occurred_at, order.cause) == (NOON, f"local/match:{MATCH}/9")


def test_a_tie_pays_nobody() -> None:
    """Both seats have 0 points."""
    assert orders_of_match_fact(ended((ANA, 0), (BOB, 0)), "local/match") == ()


@pytest.mark.parametrize(
    "fact",
    [
        ended((ANA, 20), (BOB, 20)),
        ended((ANA, 10), (BOB, 0)),
        ended((ANA, -15), (BOB, 0)),
        ended((ANA, 15), (ANA, 0)),
        ended(("nobody", 15), (BOB, 0)),
        ended((ANA, 15), (BOB, 0), match_id=""),
        recorded(b"\xff\xff"),
    ],
    ids=["two winners", "no such prize", "a fine", "against oneself", "no account", "no match", "no message"],
)
def test_a_result_that_cannot_be_is_an_error(fact: RecordedEvent) -> None:
    """ValueError: the intake parks it for an operator."""
    with pytest.raises(ValueError, match=r"points|UUID|QuickMatchEnded"):
        orders_of_match_fact(fact, "local/match")


def test_the_prizes_of_an_arena_are_paid_to_its_seats() -> None:
    """A transfer for each prize, under a key of match and account; 0 is none."""
    orders = orders_of_match_fact(arena_ended((2, 40), (1, 80), (4, 0), (3, 20)), "local/match")

    assert [(order.amount, order.reason) for order in orders] == [(40, "ARENA"), (80, "ARENA"), (20, "ARENA")]
    assert [order.key for order in orders] == [
        f"match/{MATCH}/arena/{UUID(int=account)}" for account in (10, 11, 13)
    ]
    assert {order.occurred_at for order in orders} == {NOON}


@pytest.mark.parametrize(
    ("seats", "paid"),
    [
        (((1, 60), (1, 60), (3, 20), (4, 0)), 140),
        (((1, 46), (1, 46), (1, 46), (4, 0)), 138),
        (((1, 35), (1, 35), (1, 35), (1, 35)), 140),
        (((1, 80), (2, 20), (2, 20), (2, 20)), 140),
        (((1, 80), (2, 40), (3, 10), (3, 10)), 140),
    ],
)
def test_shared_places_of_an_arena_share_its_prizes(seats: Sequence[tuple[int, int]], paid: int) -> None:
    """Equally, rounded down."""
    orders = orders_of_match_fact(arena_ended(*seats), "local/match")

    assert sum(order.amount for order in orders) == paid


@pytest.mark.parametrize(
    "fact",
    [
        arena_ended((1, 80), (2, 40), (3, 20)),
        arena_ended((1, 80), (1, 80), (3, 20), (4, 0)),
        arena_ended((1, 100), (2, 40), (3, 20), (4, 0)),
        arena_ended((1, 80), (2, 40), (3, 20), (4, -1)),
        arena_ended((0, 80), (2, 40), (3, 20), (4, 0)),
        arena_ended((1, 80), (2, 40), (3, 20), (4, 0), accounts=(10, 10, 11, 12)),
        recorded(b"\xff\xff", ARENA_ENDED),
    ],
    ids=["three seats", "two firsts", "too much", "a fine", "no place", "against oneself", "no message"],
)
def test_an_arena_that_cannot_be_is_an_error(fact: RecordedEvent) -> None:
    """ValueError: the intake parks it for an operator."""
    with pytest.raises(ValueError, match=r"points|ArenaEnded"):
        orders_of_match_fact(fact, "local/match")
