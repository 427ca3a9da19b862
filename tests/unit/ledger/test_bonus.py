"""The daily bonus as pure functions, a test for each sentence of its rules."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest

from services.ledger.assets import Asset
from services.ledger.domain.bonus import (
    BonusRefusal,
    BonusState,
    Claimed,
    NeverClaimed,
    brings_joker,
    claim,
    claim_orders,
    double,
    doubling_orders,
    points_on,
    standing,
)
from services.ledger.domain.doubling import ByReceipt, Free, is_earned, receipt

ANA, BOB = UUID(int=10), UUID(int=11)
TODAY = date(2026, 3, 29)  # of 23 hours
YESTERDAY, TOMORROW = TODAY - timedelta(days=1), TODAY + timedelta(days=1)
NOON = datetime(2026, 3, 29, 9, tzinfo=UTC)


def after_days(count: int) -> Claimed:
    """Return the state after claims on so many days in a row, the last one today."""
    state: BonusState = NeverClaimed()
    for back in reversed(range(count)):
        claimed = claim(state, TODAY - timedelta(days=back))
        assert isinstance(claimed, Claimed)
        state = claimed
    assert isinstance(state, Claimed)
    return state


def test_a_streak_pays_ten_more_each_day_up_to_a_hundred() -> None:
    """Days 1 to 10: 10, 20 … 100; from day 10 on 100 a day."""
    assert [points_on(day) for day in range(1, 11)] == [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
    assert {points_on(day) for day in range(10, 1_000)} == {100}


def test_a_joker_comes_every_ten_days_in_a_row() -> None:
    """On days 10, 20, 30, and on no other."""
    assert [day for day in range(1, 35) if brings_joker(day)] == [10, 20, 30]


def test_the_first_claim_is_day_one_and_each_next_day_one_more() -> None:
    """Day 1, then 2; after 12 days in a row it is day 12."""
    assert claim(NeverClaimed(), TODAY) == Claimed(TODAY, 1)
    assert claim(Claimed(YESTERDAY, 1), TODAY) == Claimed(TODAY, 2)
    assert after_days(12) == Claimed(TODAY, 12)


def test_a_missed_day_starts_again_at_day_one() -> None:
    """Claimed the day before yesterday, however long the streak was."""
    assert claim(Claimed(YESTERDAY - timedelta(days=1), 25), TODAY) == Claimed(TODAY, 1)


def test_a_day_is_claimed_once() -> None:
    """Refused on the same day, doubled or not; and on an earlier one, when the clock went back."""
    for state in (Claimed(TODAY, 3), Claimed(TODAY, 3, is_doubled=True), Claimed(TOMORROW, 4)):
        assert claim(state, TODAY) is BonusRefusal.ALREADY_CLAIMED


def test_a_doubling_leaves_the_streak_alone_and_the_next_claim_can_be_doubled_again() -> None:
    """Doubled today, claimed tomorrow: one day more, not doubled."""
    assert claim(Claimed(TODAY, 3, is_doubled=True), TOMORROW) == Claimed(TOMORROW, 4)


def test_doubling_is_once_and_on_the_day_of_the_claim() -> None:
    """Before a claim, after midnight, and twice: each refused by its name."""
    assert double(Claimed(TODAY, 3), TODAY) == Claimed(TODAY, 3, is_doubled=True)
    assert double(NeverClaimed(), TODAY) is BonusRefusal.NOTHING_TO_DOUBLE
    assert double(Claimed(YESTERDAY, 3), TODAY) is BonusRefusal.NOTHING_TO_DOUBLE
    assert double(Claimed(YESTERDAY, 3, is_doubled=True), TODAY) is BonusRefusal.NOTHING_TO_DOUBLE
    assert double(Claimed(TOMORROW, 3), TODAY) is BonusRefusal.NOTHING_TO_DOUBLE
    assert double(Claimed(TODAY, 3, is_doubled=True), TODAY) is BonusRefusal.ALREADY_DOUBLED


@pytest.mark.parametrize(("streak", "points", "jokers"), [(1, 10, 0), (9, 90, 0), (10, 100, 1), (11, 100, 0)])
def test_a_claim_orders_points_and_on_a_tenth_day_a_joker(streak: int, points: int, jokers: int) -> None:
    """Keys name account and day; the house's points account and joker account give."""
    orders = claim_orders(ANA, Claimed(TODAY, streak), NOON)

    assert (orders[0].key, orders[0].debit, orders[0].amount) == (
        f"daily/{ANA}/2026-03-29",
        "house/points",
        points,
    )
    assert [(order.key, order.asset, order.debit, order.amount, order.reason) for order in orders[1:]] == [
        (f"daily/{ANA}/2026-03-29/joker", Asset.JOKER, "house/jokers", 1, "JOKER_STREAK")
    ] * jokers
    assert {order.credit for order in orders} == {f"players/{ANA}"}


def test_a_doubling_orders_the_points_again_and_never_the_joker() -> None:
    """On a tenth day too."""
    (order,) = doubling_orders(ANA, Claimed(TODAY, 10, is_doubled=True), NOON)

    assert (order.key, order.amount, order.reason) == (
        f"daily/{ANA}/2026-03-29/double",
        100,
        "DAILY_BONUS_DOUBLED",
    )


@pytest.mark.parametrize(
    ("state", "streak", "is_claimed", "next_points", "next_joker", "doubling_points"),
    [
        (NeverClaimed(), 0, False, 10, False, 0),
        (Claimed(YESTERDAY, 3), 3, False, 40, False, 0),
        (Claimed(YESTERDAY, 9, is_doubled=True), 9, False, 100, True, 0),
        (Claimed(TODAY, 9), 9, True, 100, True, 90),
        (Claimed(TODAY, 10, is_doubled=True), 10, True, 100, False, 0),
        (Claimed(YESTERDAY - timedelta(days=1), 9), 0, False, 10, False, 0),
        (Claimed(TOMORROW, 2), 2, True, 30, False, 0),
    ],
)
def test_the_state_says_what_the_next_claim_pays(
    state: BonusState, streak: int, is_claimed: bool, next_points: int, next_joker: bool, doubling_points: int
) -> None:
    """Today's where it was not claimed, else tomorrow's; and what a doubling pays now."""
    shown = standing(state, TODAY)

    assert (shown.streak, shown.is_claimed, shown.next_points) == (streak, is_claimed, next_points)
    assert (shown.next_joker, shown.doubling_points) == (next_joker, doubling_points)


def test_a_doubling_is_free_unless_the_operator_asks_for_a_receipt() -> None:
    """A receipt is good for its account, its day and its key alone, and stays out of what is printed."""
    terms = ByReceipt(b"secret")
    good = receipt(b"secret", ANA, TODAY)

    assert is_earned(Free(), "", ANA, TODAY)
    assert is_earned(terms, good, ANA, TODAY)
    assert not any(
        is_earned(terms, shown, ANA, TODAY)
        for shown in ("", good.upper(), receipt(b"other", ANA, TODAY), receipt(b"secret", BOB, TODAY))
    )
    assert not is_earned(terms, good, ANA, TOMORROW)
    assert "secret" not in repr(terms)
