"""Random spends, grants and cancels against a model that knows nothing of keys, batches or orders."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from services.ledger.assets import HOUSE_JOKERS, Asset
from services.ledger.commands import PostTransfer
from services.ledger.domain.bonus import BonusState, Claimed, NeverClaimed, claim, points_on
from services.ledger.domain.cancelling import Posted, Unused, cancel, reversal_key
from services.ledger.domain.journal import Existing, Holding, Refusal, balances_after, decide
from services.ledger.events import TransferCancelled, TransferPosted

NOON = datetime(2026, 3, 2, 10, tzinfo=UTC)
PLAYERS = [f"players/00000000-0000-0000-0000-00000000000{n}" for n in range(3)]
ACCOUNTS = [HOUSE_JOKERS, *PLAYERS]

sides = st.tuples(st.sampled_from(ACCOUNTS), st.sampled_from(ACCOUNTS)).filter(
    lambda pair: pair[0] != pair[1]
)
orders = st.builds(
    lambda key, pair, amount: PostTransfer(
        key=f"k/{key}",
        asset=Asset.JOKER,
        debit=pair[0],
        credit=pair[1],
        amount=amount,
        reason="ANY",
        occurred_at=NOON,
        recorded_at=NOON,
        cause="",
    ),
    st.integers(0, 11),
    sides,
    st.integers(1, 4),
)
cancels = st.integers(0, 11).map(lambda key: f"k/{key}")
steps = st.lists(st.one_of(st.lists(orders, min_size=1, max_size=4), cancels), max_size=40)


@dataclass
class Ledger:
    """The rows that the store keeps, driven through the pure functions alone."""

    transfers: dict[str, TransferPosted] = field(default_factory=dict)
    tombstones: set[str] = field(default_factory=set)
    balances: dict[Holding, int] = field(default_factory=dict)

    @property
    def cancelled(self) -> set[str]:
        """Keys that are refused for ever."""
        return self.tombstones | {each.reverses for each in self.transfers.values() if each.reverses}

    def post(self, batch: list[PostTransfer]) -> list[object]:
        """Take in a batch as an intake does."""
        decided = decide(batch, self.transfers, self.balances, self.cancelled)
        self.balances |= decided.balances
        for outcome in decided.outcomes:
            if isinstance(outcome, TransferPosted):
                self.transfers[outcome.key] = outcome
        return list(decided.outcomes)

    def cancel(self, key: str) -> object:
        """Cancel a key as the store does."""
        if key in self.cancelled:
            return None
        kept = self.transfers.get(key)
        fact = cancel(key, Posted(kept) if kept else Unused(), self.balances, NOON)
        if isinstance(fact, TransferPosted):
            self.balances |= balances_after(fact, self.balances)
            self.transfers[fact.key] = fact
        elif isinstance(fact, TransferCancelled):
            self.tombstones.add(fact.key)
        return fact


@dataclass
class Model:
    """One joker purse per account, and what each key did to them; the house's may go below zero."""

    purses: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ACCOUNTS, 0))
    moves: dict[str, tuple[str, str, int] | None] = field(default_factory=dict)
    dead: set[str] = field(default_factory=set)

    def move(self, giver: str, taker: str, amount: int) -> bool:
        """Move jokers where the giver has them."""
        if giver in PLAYERS and self.purses[giver] < amount:
            return False
        self.purses[giver] -= amount
        self.purses[taker] += amount
        return True

    def post(self, order: PostTransfer) -> str:
        """Return what posting comes to."""
        wanted = (order.debit, order.credit, order.amount)
        if order.key in self.dead:
            return "KEY_CANCELLED"
        if order.key in self.moves:
            return "again" if self.moves[order.key] == wanted else "KEY_REUSED"
        if not self.move(*wanted):
            return "BALANCE_TOO_LOW"
        self.moves[order.key] = wanted
        return "posted"

    def cancel(self, key: str) -> str:
        """Return what cancelling comes to."""
        if key in self.dead:
            return "again"
        done = self.moves.get(key)
        if done is not None and not self.move(done[1], done[0], done[2]):
            return "BALANCE_TOO_LOW"
        self.dead.add(key)
        return "tombstone" if done is None else "posted"


def said(outcome: object) -> str:
    """Return an outcome in the model's words."""
    match outcome:
        case Refusal():
            return outcome.value
        case Existing() | None:
            return "again"
        case TransferCancelled():
            return "tombstone"
        case _:
            return "posted"


@settings(max_examples=300, deadline=None)
@given(steps)
def test_whatever_is_spent_granted_and_cancelled_the_model_agrees(script: list[object]) -> None:
    """Outcomes and balances are the model's; no player is ever below zero; all accounts sum to zero."""
    ledger, model = Ledger(), Model()
    for step in script:
        if isinstance(step, str):
            assert said(ledger.cancel(step)) == model.cancel(step)
        else:
            assert isinstance(step, list)
            assert [said(outcome) for outcome in ledger.post(step)] == [model.post(order) for order in step]
        held = {holding.account: amount for holding, amount in ledger.balances.items()}
        assert {account: held.get(account, 0) for account in PLAYERS} == {
            account: model.purses[account] for account in PLAYERS
        }
        assert min(held.values(), default=0) >= 0
    moved = dict.fromkeys(ACCOUNTS, 0)
    for transfer in ledger.transfers.values():
        moved[transfer.debit] -= transfer.amount
        moved[transfer.credit] += transfer.amount

    assert moved == model.purses
    assert sum(moved.values()) == 0


@given(st.permutations(["spend", "spend", "cancel", "cancel", "spend"]))
def test_a_spend_and_its_cancelling_in_any_order_leave_the_joker(script: list[str]) -> None:
    """The player has what they had, and either a reversal or a tombstone says why, never both."""
    ledger = Ledger(balances={Holding(PLAYERS[0], Asset.JOKER): 1})
    spend = PostTransfer("k/1", Asset.JOKER, PLAYERS[0], HOUSE_JOKERS, 1, "JOKER_USED", NOON, NOON, "")
    for step in script:
        if step == "spend":
            ledger.post([spend])
        else:
            ledger.cancel("k/1")

    assert ledger.balances == {Holding(PLAYERS[0], Asset.JOKER): 1}
    assert (reversal_key("k/1") in ledger.transfers) != ("k/1" in ledger.tombstones)


@given(st.lists(st.integers(0, 40), max_size=60))
def test_a_streak_is_the_length_of_the_run_of_days_that_ends_today(offsets: list[int]) -> None:
    """Claims on any days in time order, some twice: each pays by the run of claimed days up to it."""
    days: set[date] = set()
    state: BonusState = NeverClaimed()
    for offset in sorted(offsets):
        today = date(2026, 3, 20) + timedelta(days=offset)
        outcome = claim(state, today)
        assert isinstance(outcome, Claimed) is (today not in days)
        if isinstance(outcome, Claimed):
            state = outcome
        days.add(today)
        run = 0
        while today - timedelta(days=run) in days:
            run += 1
        assert isinstance(state, Claimed)
        assert (state.day, state.streak) == (today, run)
        assert points_on(run) == 10 * min(run, 10)
