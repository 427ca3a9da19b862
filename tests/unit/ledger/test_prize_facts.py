"""What facts of tournaments order of prizes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.pb.sparrow.tournament.v1 import tournament_pb2
from libs.pb.sparrow.tournament.v1.tournament_event_pb2 import PrizesAwarded
from services.ledger.assets import Asset
from services.ledger.commands import PostTransfer, TakeBack
from services.ledger.prize_facts import PRIZE_DECLARED
from services.ledger.wire.messages import subject_of
from services.ledger.wire.prize_facts import PRIZES_AWARDED, PRIZES_REVOKED, steps_of_prize_fact
from tests.support.prize_feeds import SOURCE, award, awarded, recorded, revoked

ID, ANA, BOB = (UUID(int=number) for number in (1, 10, 11))
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
LATER = NOON + timedelta(days=3)


def told(*awards: tournament_pb2.PrizeAward, finished_at: datetime = NOON) -> RecordedEvent:
    """Prizes as they come over the wire."""
    message = PrizesAwarded(awards=awards)
    message.finish_time.FromDatetime(finished_at)
    return raw(message.SerializeToString())


def raw(data: bytes) -> RecordedEvent:
    """The bytes as awarded prizes."""
    return RecordedEvent(ID, 9, Part.FACTS, PRIZES_AWARDED, 1, NOON, NOON, UUID(int=2), None, 0, data)


def test_an_award_moves_each_of_its_goods_under_a_key_of_its_own() -> None:
    """Points, jokers, the cup: from the house, as of the end of the tournament, recorded later or not."""
    event = awarded(award(1, ANA, 100, 2, "champions"), award(2, BOB, 50), finished_at=NOON)
    steps = steps_of_prize_fact(recorded(event, ID, LATER, 9), SOURCE)

    orders = [step for step in steps if isinstance(step, PostTransfer)]
    assert len(orders) == len(steps) == 4
    prefix = f"tournament/{ID}/prize"
    assert [(each.key, each.debit, each.credit, each.amount, each.cup_kind) for each in orders] == [
        (f"{prefix}/1/POINTS", "house/points", f"players/{ANA}", 100, ""),
        (f"{prefix}/1/JOKER", "house/jokers", f"players/{ANA}", 2, ""),
        (f"{prefix}/1/CUP", "house/cups", f"players/{ANA}", 1, "champions"),
        (f"{prefix}/2/POINTS", "house/points", f"players/{BOB}", 50, ""),
    ]
    assert {(each.reason, each.occurred_at, each.cause) for each in orders} == {
        ("TOURNAMENT_PRIZE", NOON, f"{SOURCE}:{ID}/9")
    }
    assert {subject_of(each.key) for each in orders} == {f"tournaments/{ID}"}


def test_a_revocation_takes_back_what_the_same_awards_paid() -> None:
    """The same contents under the same keys; its cause is the fact that revoked."""
    awards = (award(1, ANA, 100, 2, "gold"), award(2, BOB, 0, 1))
    paid = steps_of_prize_fact(recorded(awarded(*awards, finished_at=NOON), ID, LATER, 9), SOURCE)
    taken = steps_of_prize_fact(recorded(revoked(*awards, finished_at=NOON), ID, LATER, 12), SOURCE)

    orders = [step.order for step in taken if isinstance(step, TakeBack)]
    assert [replace(each, cause=f"{SOURCE}:{ID}/9") for each in orders] == list(paid)
    assert {each.cause for each in orders} == {f"{SOURCE}:{ID}/12"}
    assert {each.asset for each in orders} == {Asset.POINTS, Asset.JOKER, Asset.CUP}


def test_an_award_of_nothing_moves_nothing() -> None:
    """A place may bring nothing, and a fact may have no awards."""
    assert steps_of_prize_fact(recorded(awarded(award(1, ANA), finished_at=NOON), ID, NOON), SOURCE) == ()
    assert steps_of_prize_fact(recorded(revoked(finished_at=NOON), ID, NOON), SOURCE) == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"number": 0},
        {"account_id": "x"},
        {"prize": tournament_pb2.PlacePrize(points=-1)},
        {"prize": tournament_pb2.PlacePrize(jokers=-1)},
        {"prize": tournament_pb2.PlacePrize(points=10**12 + 1)},
        {"prize": tournament_pb2.PlacePrize(cup_kind="Two words")},
    ],
    ids=["number", "account", "points", "jokers", "too many points", "cup"],
)
def test_an_award_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    """An operator sees it; the other awards of its fact are not paid either."""
    fields: dict[str, Any] = {
        "number": 1,
        "account_id": str(ANA),
        "prize": tournament_pb2.PlacePrize(points=5),
        **wrong,
    }
    with pytest.raises(ValueError, match=r"award|UUID"):
        steps_of_prize_fact(told(tournament_pb2.PrizeAward(**fields)), SOURCE)


def test_a_number_twice_and_an_end_without_an_instant_are_refused() -> None:
    """The number is what a prize is paid under; the instant says where its points count."""
    one = tournament_pb2.PrizeAward(number=1, account_id=str(ANA))
    with pytest.raises(ValueError, match=r"awards \[1, 1\]"):
        steps_of_prize_fact(told(one, one), SOURCE)
    with pytest.raises(ValueError, match="finished at 1970"):
        steps_of_prize_fact(raw(PrizesAwarded(awards=[one]).SerializeToString()), SOURCE)


def test_bytes_that_are_no_prizes_are_refused() -> None:
    """As everywhere."""
    with pytest.raises(ValueError, match="no PrizesAwarded"):
        steps_of_prize_fact(raw(b"\xff"), SOURCE)


def test_the_ledger_follows_awards_and_revocations() -> None:
    """Declared, so that they are neither skipped nor missed."""
    assert PRIZE_DECLARED == {PRIZES_AWARDED: 1, PRIZES_REVOKED: 1}
