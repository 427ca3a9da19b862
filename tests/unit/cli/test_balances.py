"""What `sparrow balances` says, from the ledger's answer."""

from __future__ import annotations

from rich.text import Text

from libs.cli.balances import told
from libs.client.results import Balances
from libs.client.wire import balances_of
from libs.pb.sparrow.ledger.v1.ledger_pb2 import ASSET_CHIP, ASSET_JOKER, Balance, CupBalance
from libs.pb.sparrow.ledger.v1.ledger_service_pb2 import GetBalancesResponse

HELD = [Balance(asset=ASSET_JOKER, amount=3), Balance(asset=ASSET_CHIP, amount=1_000)]


def test_cups_are_told_by_kind() -> None:
    """How many of each, in a line of their own."""
    cups = [CupBalance(cup_kind="champions", amount=2), CupBalance(cup_kind="gold", amount=1)]
    held = balances_of(GetBalancesResponse(balances=HELD, cups=cups))

    assert held == Balances(3, 1_000, {"champions": 2, "gold": 1})
    assert Text.from_markup(told(held)).plain == "3 jokers, 1000 chips\ncups: 2 champions, 1 gold"


def test_who_has_no_cup_is_told_of_none() -> None:
    """Also by a ledger that knew no cups yet."""
    assert Text.from_markup(told(balances_of(GetBalancesResponse(balances=HELD)))).plain == (
        "3 jokers, 1000 chips"
    )
