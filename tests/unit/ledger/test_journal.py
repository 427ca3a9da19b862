"""Intake as a pure function: precedence of answers, balances within a batch, days."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from services.ledger.assets import HOUSE_POINTS, Asset
from services.ledger.commands import PostTransfer
from services.ledger.domain.calendar import TIME_ZONE_DATA
from services.ledger.domain.journal import Existing, Holding, Refusal, decide, holdings
from services.ledger.events import TransferPosted

MIDNIGHT = datetime(2026, 3, 29, 21, tzinfo=UTC)
ANA, BOB = "players/00000000-0000-0000-0000-00000000000a", "players/00000000-0000-0000-0000-00000000000b"
ORDER = PostTransfer(
    key="match/1/quick/ana",
    asset=Asset.POINTS,
    debit=HOUSE_POINTS,
    credit=ANA,
    amount=20,
    reason="QUICK_MATCH",
    occurred_at=MIDNIGHT,
    recorded_at=MIDNIGHT,
    cause="local/match:1/7",
)


def posted(order: PostTransfer) -> TransferPosted:
    """Return the transfer that an order becomes on a fresh ledger."""
    (outcome,) = decide([order], {}, {Holding(order.debit, order.asset): order.amount}).outcomes
    assert isinstance(outcome, TransferPosted)
    return outcome


def test_a_result_counts_for_the_romanian_day_in_which_it_occurred() -> None:
    """A microsecond before midnight is the day before, however late it is recorded."""
    before = MIDNIGHT - timedelta(microseconds=1)
    late = replace(ORDER, occurred_at=before, recorded_at=MIDNIGHT + timedelta(seconds=2))

    assert (posted(ORDER).day, posted(late).day) == (date(2026, 3, 30), date(2026, 3, 29))
    assert posted(ORDER).time_zone_data == TIME_ZONE_DATA


def test_a_posted_key_answers_before_anything_else() -> None:
    """A repeat years later gets its transfer; a misuse is KEY_REUSED though window and balance fail too."""
    spend = replace(ORDER, asset=Asset.JOKER, debit=ANA, credit="house/jokers")
    kept = {ORDER.key: posted(ORDER)}
    old = replace(ORDER, recorded_at=MIDNIGHT + timedelta(days=700))
    misuse = replace(spend, recorded_at=MIDNIGHT + timedelta(days=700))

    assert decide([old, misuse], kept, {}).outcomes == (Existing(kept[ORDER.key]), Refusal.KEY_REUSED)


def test_the_window_answers_before_the_balance() -> None:
    """Of an old spend on an empty account the age is told."""
    spend = replace(
        ORDER, asset=Asset.CHIP, debit=ANA, credit=BOB, recorded_at=MIDNIGHT + timedelta(hours=25)
    )

    assert decide([spend], {}, {}).outcomes == (Refusal.OCCURRED_OUT_OF_RANGE,)


def test_a_key_twice_in_one_batch_is_posted_once() -> None:
    """The second is the first's repeat, or its misuse."""
    outcomes = decide([ORDER, ORDER, replace(ORDER, amount=5)], {}, {}).outcomes

    assert outcomes == (posted(ORDER), Existing(posted(ORDER)), Refusal.KEY_REUSED)


@pytest.mark.parametrize("asset", [Asset.JOKER, Asset.CHIP])
def test_what_one_player_gives_another_has(asset: Asset) -> None:
    """Balances move on both sides within a batch and sum to what was there."""
    gift = replace(ORDER, asset=asset, debit=ANA, credit=BOB, amount=3)
    back = replace(gift, key="back", debit=BOB, credit=ANA, amount=2)
    too_much = replace(gift, key="again", amount=5)

    decided = decide([gift, back, too_much], {}, {Holding(ANA, asset): 4})

    assert decided.outcomes[2] is Refusal.BALANCE_TOO_LOW
    assert decided.balances == {Holding(ANA, asset): 3, Holding(BOB, asset): 1}


def test_points_and_houses_have_no_balance_rows() -> None:
    """Points may be taken back below zero; the house issues without end."""
    assert holdings(replace(ORDER, debit=ANA, credit=HOUSE_POINTS)) == ()
    assert holdings(replace(ORDER, asset=Asset.CHIP, debit="house/chips")) == (Holding(ANA, Asset.CHIP),)
