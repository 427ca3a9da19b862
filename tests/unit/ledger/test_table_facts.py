"""What the end of a deal of MCR moves of table points."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

import pytest

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.pb.sparrow.mcr.v1 import deal_pb2
from libs.pb.sparrow.mcr.v1.table_event_pb2 import DealFinished
from services.ledger.policies import TABLE_DECLARED
from services.ledger.wire.messages import subject_of
from services.ledger.wire.table_facts import DEAL_FINISHED, orders_of_table_fact

TABLE, DEAL, ANA, BOB = (str(UUID(int=number)) for number in (1, 2, 10, 11))
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SOURCE = "local/mcr"


def told(data: bytes) -> RecordedEvent:
    """The bytes as the end of a deal."""
    return RecordedEvent(UUID(TABLE), 3, Part.FACTS, DEAL_FINISHED, 1, NOON, NOON, UUID(int=2), None, 0, data)


def finished(accounts: Sequence[str], outcome: deal_pb2.DealOutcome) -> RecordedEvent:
    """The end of a deal of these accounts by seat."""
    return told(DealFinished(deal_id=DEAL, number=1, accounts=accounts, outcome=outcome).SerializeToString())


def won(*payments: int) -> deal_pb2.DealOutcome:
    """A win that moved so much."""
    return deal_pb2.DealOutcome(won=deal_pb2.DealWon(payments=payments))


def test_one_person_against_the_ai_moves_points_of_that_board() -> None:
    """From the house, under a key of table, deal and account; the AI has no points."""
    (order,) = orders_of_table_fact(finished(("", "", ANA, ""), won(-20, -20, 60, -20)), SOURCE)

    assert (order.key, order.amount, order.reason) == (f"table/{TABLE}/{DEAL}/{ANA}", 60, "MCR_AI")
    assert (order.debit, order.credit) == ("house/points", f"players/{ANA}")
    assert order.cause == f"{SOURCE}:{TABLE}/3"
    assert subject_of(order.key) == f"tables/{TABLE}"


def test_two_persons_move_points_of_theirs_and_who_lost_gives_them_to_the_house() -> None:
    """A transfer for each person, though AI players sit with them."""
    up, down = orders_of_table_fact(finished((ANA, "", BOB, ""), won(40, -8, -24, -8)), SOURCE)

    assert [up.reason, down.reason] == ["MCR", "MCR"]
    assert (up.amount, up.debit, up.credit) == (40, "house/points", f"players/{ANA}")
    assert (down.amount, down.debit, down.credit) == (24, f"players/{BOB}", "house/points")


@pytest.mark.parametrize(
    ("accounts", "outcome"),
    [
        (
            (ANA, BOB, "", ""),
            deal_pb2.DealOutcome(drawn=deal_pb2.DealDrawn(reason=deal_pb2.DRAW_REASON_WALL)),
        ),
        ((ANA, BOB, "", ""), deal_pb2.DealOutcome(aborted=deal_pb2.DealAborted(fault="LookupError"))),
        (("", "", "", ""), won(24, -8, -8, -8)),
        ((), won(24, -8, -8, -8)),
        ((ANA, "", "", ""), won(0, 24, -16, -8)),
    ],
    ids=[
        "drawn",
        "aborted",
        "private or AI only",
        "from before accounts were told",
        "nothing for the person",
    ],
)
def test_where_no_points_move_there_is_no_transfer(
    accounts: Sequence[str], outcome: deal_pb2.DealOutcome
) -> None:
    """Nobody won, nobody's points count, or a seat came out even."""
    assert orders_of_table_fact(finished(accounts, outcome), SOURCE) == ()


@pytest.mark.parametrize(
    ("accounts", "payments"),
    [
        ((ANA, "", "", ""), (24, -8, -8, -7)),
        ((ANA, "", "", ""), (24, -8, -16)),
        ((ANA, "", ""), (24, -8, -8, -8)),
        ((ANA, ANA, "", ""), (24, -8, -8, -8)),
        (("x", "", "", ""), (24, -8, -8, -8)),
    ],
)
def test_an_end_that_makes_no_sense_is_refused(accounts: Sequence[str], payments: Sequence[int]) -> None:
    """Sums that are not 0, not four seats, one account twice, or nobody knows whose: an operator sees it."""
    with pytest.raises(ValueError, match=r"deal|UUID"):
        orders_of_table_fact(finished(accounts, won(*payments)), SOURCE)


def test_bytes_that_are_no_end_of_a_deal_are_refused() -> None:
    """As everywhere."""
    with pytest.raises(ValueError, match="no DealFinished"):
        orders_of_table_fact(told(b"\xff"), SOURCE)


def test_the_ledger_follows_the_ends_of_deals() -> None:
    """Declared, so that it is neither skipped nor missed."""
    assert TABLE_DECLARED == {DEAL_FINISHED: 1}
