"""What facts of the match service earn, and which of them make no sense."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.pb.sparrow.match.v1.match_event_pb2 import QuickMatchEnded
from services.ledger.wire import QUICK_MATCH_ENDED, orders_of_match_fact

ANA, BOB, MATCH = str(UUID(int=10)), str(UUID(int=11)), str(UUID(int=1))
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def ended(*seats: tuple[str, int], match_id: str = MATCH) -> RecordedEvent:
    """Return the end of a quick match with (account, points) by seat."""
    message = QuickMatchEnded(
        match_id=match_id,
        seats=[QuickMatchEnded.Seat(account_id=account, points=points) for account, points in seats],
    )
    return recorded(message.SerializeToString())


def recorded(data: bytes) -> RecordedEvent:
    """Return a stored fact with this data."""
    return RecordedEvent(
        UUID(MATCH), 9, Part.FACTS, QUICK_MATCH_ENDED, 1, NOON, NOON, UUID(int=2), None, 0, data
    )


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
