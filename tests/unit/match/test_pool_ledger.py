"""What the pool asks of the ledger, and how it reads the answers: each chip moves once, however late."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from services.match.wire import pool_ledger
from services.match.wire.joker_ledger import LedgerSilent
from services.match.wire.pool_ledger import PoolLedger, Staked
from tests.support.attempts import ANA, after
from tests.support.rounds import MATCH

DAY_MS = 86_400_000


@dataclass
class Ledger:
    """Answers with these reasons, one after the other; none: it is done."""

    reasons: list[str | None]
    asked: list[Any] = field(default_factory=list)

    def PostTransfer(self, request: Any, *, timeout: float) -> str | None:  # noqa: N802
        """Keep what was asked."""
        assert timeout > 0
        self.asked.append(request)
        return self.reasons.pop(0)

    CancelTransfer = PostTransfer


@pytest.fixture(autouse=True)
def _plain_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    async def reason(answer: str | None) -> str | None:
        return answer

    monkeypatch.setattr(pool_ledger, "why_refused", reason)


async def test_a_stake_goes_from_the_player_into_the_escrow_of_the_match() -> None:
    """Chips, under a key of match and account, as of the deal."""
    ledger = Ledger([None])
    assert await PoolLedger(ledger).stake(MATCH, ANA, 100, after(0)) is Staked.PAID
    (asked,) = ledger.asked
    assert (asked.asset, asked.amount, asked.reason) == (ledger_pb2.ASSET_CHIP, 100, "POOL_STAKE")
    assert (asked.debit, asked.credit) == (f"players/{ANA}", f"house/pool-{MATCH}")
    assert asked.key == f"match/{MATCH}/pool/stake/{ANA}"


@pytest.mark.parametrize(
    ("reason", "staked"),
    [("BALANCE_TOO_LOW", Staked.TOO_FEW_CHIPS), ("KEY_CANCELLED", Staked.CANCELLED)],
)
async def test_a_stake_that_is_not_to_be_had_is_told(reason: str, staked: Staked) -> None:
    """Too few chips, or taken back before."""
    assert await PoolLedger(Ledger([reason])).stake(MATCH, ANA, 100, after(0)) is staked


async def test_a_silent_ledger_leaves_everything_open() -> None:
    """Whether chips moved is not known: the same keys are asked again."""
    for ask in (
        PoolLedger(Ledger(["UNAVAILABLE"])).stake(MATCH, ANA, 100, after(0)),
        PoolLedger(Ledger(["UNAVAILABLE"])).pay(MATCH, ANA, 200, after(0), after(1)),
        PoolLedger(Ledger(["UNAVAILABLE"])).give_back(MATCH, ANA),
    ):
        with pytest.raises(LedgerSilent):
            await ask


async def test_a_pot_is_paid_even_days_after_the_end() -> None:
    """The ledger takes transfers of the last 24 hours: dated whole days later, for whoever repeats."""
    ledger = Ledger(["OCCURRED_OUT_OF_RANGE", None])
    await PoolLedger(ledger).pay(MATCH, ANA, 200, after(0), after(3 * DAY_MS + 5_000))
    first, second = (request.occurred_time.ToDatetime() for request in ledger.asked)
    assert second - first == timedelta(days=3)
    assert len({request.key for request in ledger.asked}) == 1
    assert len({request.request_id for request in ledger.asked}) == 2


async def test_a_pot_that_was_paid_under_another_date_is_paid() -> None:
    """The key posts once, for ever."""
    ledger = Ledger(["KEY_REUSED"])
    await PoolLedger(ledger).pay(MATCH, ANA, 200, after(0), after(1))
    assert len(ledger.asked) == 1
