"""What the end of a race moves of ratings."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.pb.sparrow.match.v1.race_event_pb2 import RaceEnded
from services.ledger.assets import Asset
from services.ledger.policies import DECLARED
from services.ledger.wire.match_facts import RACE_ENDED, orders_of_match_fact

RACE, ANA, BOB = str(UUID(int=1)), str(UUID(int=10)), str(UUID(int=11))
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def ended(*seats: tuple[str, int, int], rated: bool = True) -> RecordedEvent:
    """Return the end of a race with (account, rating before, rating after) by seat."""
    told = [RaceEnded.Seat(account_id=a, rating_before=b, rating_after=c) for a, b, c in seats]
    data = RaceEnded(race_id=RACE, rated=rated, seats=told).SerializeToString()
    return RecordedEvent(UUID(RACE), 9, Part.FACTS, RACE_ENDED, 1, NOON, NOON, UUID(int=2), None, 0, data)


def test_a_rating_rises_from_the_house_and_falls_to_it() -> None:
    """One transfer a player, under a key of race and account; the sum of a player's is the rating."""
    up, down = orders_of_match_fact(ended((ANA, 0, 1_520), (BOB, 1_500, 1_483)), "local/match")

    assert (up.key, up.amount, up.reason) == (f"match/{RACE}/race/{ANA}", 1_520, "RACE_RATING")
    assert (up.asset, up.debit, up.credit) == (Asset.RATING, "house/ratings", f"players/{ANA}")
    assert (down.amount, down.debit, down.credit) == (17, f"players/{BOB}", "house/ratings")
    assert down.cause == f"local/match:{RACE}/9"


def test_what_did_not_move_and_what_is_not_rated_is_no_transfer() -> None:
    """A tie of equals, and a race among friends."""
    assert orders_of_match_fact(ended((ANA, 1_500, 1_500), (BOB, 1_500, 1_500)), "local/match") == ()
    assert orders_of_match_fact(ended((ANA, 0, 0), ("", 0, 0), rated=False), "local/match") == ()


@pytest.mark.parametrize(
    "seats", [((ANA, 0, 1_500),), ((ANA, 0, 1_500), (ANA, 0, 1_500)), ((ANA, 0, 1), ("x", 0, 1))]
)
def test_a_rated_race_of_fewer_than_two_players_makes_no_sense(
    seats: tuple[tuple[str, int, int], ...],
) -> None:
    """Nor one that seats an account twice, or nobody knows whom: it is parked for an operator."""
    with pytest.raises(ValueError, match=r"race|UUID"):
        orders_of_match_fact(ended(*seats), "local/match")


def test_the_ledger_follows_the_ends_of_races() -> None:
    """Declared, so that it is neither skipped nor missed."""
    assert DECLARED[RACE_ENDED] == 1
