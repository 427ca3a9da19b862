"""Cancelling a key as a pure function."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest

from libs.eventsourcing.envelope import RecordedEvent
from services.ledger.assets import HOUSE_JOKERS, HOUSE_POINTS, Asset
from services.ledger.commands import PostTransfer
from services.ledger.domain.cancelling import Posted, Unused, cancel, reversal_key
from services.ledger.domain.journal import Existing, Holding, Refusal, decide
from services.ledger.events import TransferCancelled, TransferPosted
from services.ledger.wire.events import decode, encode

ANA = "players/00000000-0000-0000-0000-00000000000a"
NOON = datetime(2026, 3, 2, 10, tzinfo=UTC)
LATER = NOON + timedelta(days=40)


def posted(asset: Asset, debit: str, credit: str, amount: int = 1) -> TransferPosted:
    """Return a posted transfer."""
    return TransferPosted(
        key="k",
        asset=asset,
        debit=debit,
        credit=credit,
        amount=amount,
        reason="QUICK_MATCH" if asset is Asset.POINTS else "JOKER_USED",
        occurred_at=NOON,
        day=date(2026, 3, 2),
        time_zone_data="2026.1",
        cause="local/match:1/7",
    )


SPENT = posted(Asset.JOKER, ANA, HOUSE_JOKERS)
ORDER = PostTransfer(
    key="k",
    asset=Asset.JOKER,
    debit=ANA,
    credit=HOUSE_JOKERS,
    amount=1,
    reason="JOKER_USED",
    occurred_at=NOON,
    recorded_at=NOON,
    cause="",
)


def test_a_key_without_a_transfer_gets_a_tombstone() -> None:
    """It carries the key and the instant of its cancelling."""
    assert cancel("k", Unused(), {}, LATER) == TransferCancelled("k", LATER)


def test_a_posted_transfer_is_reversed_with_its_own_reason_instant_and_day() -> None:
    """The sides are swapped, the key is derived, the original is named; day and zone data stay."""
    reversal = cancel("k", Posted(SPENT), {}, LATER)

    assert isinstance(reversal, TransferPosted)
    assert (reversal.debit, reversal.credit, reversal.amount) == (HOUSE_JOKERS, ANA, 1)
    assert (reversal.key, reversal.reverses) == ("reversal/k", "k")
    assert (reversal.reason, reversal.occurred_at, reversal.day, reversal.time_zone_data) == (
        SPENT.reason,
        SPENT.occurred_at,
        SPENT.day,
        SPENT.time_zone_data,
    )


@pytest.mark.parametrize(("held", "is_reversed"), [(0, False), (4, False), (5, True), (6, True)])
def test_what_a_player_received_is_taken_back_only_as_far_as_it_is_there(
    held: int, is_reversed: bool
) -> None:
    """Five jokers granted; the balance never falls below zero."""
    granted = posted(Asset.JOKER, HOUSE_JOKERS, ANA, 5)

    outcome = cancel("k", Posted(granted), {Holding(ANA, Asset.JOKER): held}, LATER)

    assert isinstance(outcome, TransferPosted) is is_reversed
    assert is_reversed or outcome is Refusal.BALANCE_TOO_LOW


def test_points_are_taken_back_whatever_the_player_has() -> None:
    """Points have no balance that could be too low."""
    assert isinstance(cancel("k", Posted(posted(Asset.POINTS, HOUSE_POINTS, ANA)), {}, LATER), TransferPosted)


def test_a_cancelled_key_answers_before_anything_else() -> None:
    """Posted before or not, repeated or misused, out of range or without a balance: KEY_CANCELLED."""
    kept = {"k": SPENT}

    assert decide([ORDER], kept, {}).outcomes == (Existing(SPENT),)
    assert decide([ORDER], kept, {}, {"k"}).outcomes == (Refusal.KEY_CANCELLED,)
    assert decide([ORDER], {}, {}, {"k"}).outcomes == (Refusal.KEY_CANCELLED,)


def test_a_cancelled_key_takes_nothing_from_the_others_of_its_batch() -> None:
    """Of two spends on one joker the cancelled one leaves it to the other."""
    other = replace(ORDER, key="other")

    decided = decide([ORDER, other], {}, {Holding(ANA, Asset.JOKER): 1}, {"k"})

    assert decided.outcomes[0] is Refusal.KEY_CANCELLED
    assert isinstance(decided.outcomes[1], TransferPosted)
    assert decided.balances == {Holding(ANA, Asset.JOKER): 0}


def test_a_reversal_cannot_be_reversed() -> None:
    """Nobody may ask for it: the ledger's own keys are refused at the edge."""
    reversal = cancel("k", Posted(SPENT), {}, LATER)
    assert isinstance(reversal, TransferPosted)

    with pytest.raises(AssertionError):
        cancel(reversal_key("k"), Posted(reversal), {}, LATER)


@pytest.mark.parametrize("fact", [SPENT, TransferCancelled("k", NOON), cancel("k", Posted(SPENT), {}, NOON)])
def test_facts_come_back_from_the_wire_as_they_went(fact: TransferPosted | TransferCancelled) -> None:
    """A transfer, a tombstone and a reversal."""
    new = encode(fact, NOON)
    stored = RecordedEvent(
        UUID(int=1), 1, new.part, new.type, new.schema_version, NOON, LATER, UUID(int=2), None, 0, new.data
    )

    assert decode(stored) == fact
