"""Prizes awarded and revoked in any order, told any number of times, in any batches, beside a plain model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from services.ledger.assets import HOUSE_JOKERS, Asset, player_account
from services.ledger.commands import PostTransfer, PrizeStep
from services.ledger.domain.journal import Holding, Refusal
from services.ledger.domain.prizes import settle
from services.ledger.events import TransferCancelled, TransferPosted
from services.ledger.wire.prize_facts import steps_of_prize_fact
from services.tournament.domain.tournament.words import Award
from tests.support.prize_feeds import SOURCE, award, awarded, recorded, revoked

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
LATE = NOON + timedelta(days=40)
ACCOUNTS = [UUID(int=number) for number in range(3)]
TOURNAMENTS = [UUID(int=number) for number in (7, 8)]

awards = st.builds(
    lambda number, chosen, points, jokers, cup: award(number, ACCOUNTS[chosen], points, jokers, cup),
    st.just(0),
    st.integers(0, 2),
    st.sampled_from([0, 50, 200]),
    st.integers(0, 2),
    st.sampled_from(["", "gold", "champions"]),
)


@dataclass(frozen=True)
class Told:
    """A fact of a tournament: which of its awards it awards or revokes."""

    tournament: int
    numbers: tuple[int, ...]
    revokes: bool


@dataclass(frozen=True)
class Spent:
    """A player uses a joker."""

    account: int


told = st.builds(
    Told,
    st.integers(0, 1),
    st.lists(st.integers(0, 3), min_size=1, max_size=4, unique=True).map(tuple),
    st.booleans(),
)
scripts = st.lists(
    st.lists(st.one_of(told, told, told, st.builds(Spent, st.integers(0, 2))), min_size=1, max_size=5),
    max_size=8,
)
prizes = st.lists(st.lists(awards, min_size=4, max_size=4), min_size=2, max_size=2)


@dataclass
class Model:
    """What players have, by the words of the rules."""

    paid: dict[tuple[int, int, Asset], tuple[UUID, int, str]] = field(default_factory=dict)
    over: set[tuple[int, int, Asset]] = field(default_factory=set)
    """Revoked: for ever."""
    jokers: Counter[UUID] = field(default_factory=Counter)
    refused: int = 0

    def tell(self, fact: Told, of: list[list[Award]]) -> None:
        """Take one fact in."""
        for number in fact.numbers:
            one = of[fact.tournament][number]
            goods = (
                (Asset.POINTS, one.goods.points, ""),
                (Asset.JOKER, one.goods.jokers, ""),
                (Asset.CUP, int(one.goods.cup != ""), one.goods.cup),
            )
            for asset, amount, kind in goods:
                place = (fact.tournament, number, asset)
                if not amount or place in self.over:
                    continue
                if not fact.revokes:
                    if place not in self.paid:
                        self.paid[place] = (one.account_id, amount, kind)
                        self.jokers[one.account_id] += amount * (asset is Asset.JOKER)
                    continue
                if place in self.paid and asset is Asset.JOKER:
                    if self.jokers[one.account_id] < amount:
                        self.refused += 1
                        continue
                    self.jokers[one.account_id] -= amount
                self.paid.pop(place, None)
                self.over.add(place)

    def held(self) -> Counter[tuple[str, Asset, str]]:
        """What stands paid, by player, asset and kind."""
        held = Counter[tuple[str, Asset, str]]()
        for (_, _, asset), (account, amount, kind) in self.paid.items():
            held[player_account(account), asset, kind] += amount
        return held


@dataclass
class Books:
    """The journal in memory: what a transaction reads and stores."""

    posted: dict[str, TransferPosted] = field(default_factory=dict)
    cancelled: set[str] = field(default_factory=set)
    balances: dict[Holding, int] = field(default_factory=dict)
    refused: int = 0

    def run(self, steps: list[PrizeStep]) -> None:
        """Settle a batch."""
        settled = settle(steps, self.posted, self.balances, self.cancelled, LATE)
        for fact in settled.facts:
            if isinstance(fact, TransferCancelled):
                self.cancelled.add(fact.key)
                continue
            assert fact.key not in self.posted, "each key is posted once"
            assert (fact.occurred_at, fact.day) == (NOON, NOON.date())
            self.posted[fact.key] = fact
            if fact.reverses:
                self.cancelled.add(fact.reverses)
        self.balances |= settled.balances
        assert {refusal for refusal in settled.refusals if refusal} <= {Refusal.BALANCE_TOO_LOW}
        self.refused += sum(refusal is not None for refusal in settled.refusals)

    def held(self) -> Counter[tuple[str, Asset, str]]:
        """All that moved for prizes, by ledger account, asset and kind."""
        held = Counter[tuple[str, Asset, str]]()
        for each in self.posted.values():
            held[each.credit, each.asset, each.cup_kind] += each.amount
            held[each.debit, each.asset, each.cup_kind] -= each.amount
        return held


@settings(max_examples=300, deadline=None)
@given(prizes, scripts)
def test_a_revoked_prize_leaves_nothing_and_any_other_is_paid_once(
    drawn: list[list[Award]], script: list[list[Told | Spent]]
) -> None:
    """Whatever was told, and how often: points, jokers and cups are the model's, and all sums are zero."""
    of = [
        [award(n + 1, a.account_id, a.goods.points, a.goods.jokers, a.goods.cup) for n, a in enumerate(row)]
        for row in drawn
    ]
    books, model, version = Books(), Model(), 0
    for batch in script:
        steps: list[PrizeStep] = []
        for fact in batch:
            version += 1
            if isinstance(fact, Spent):
                books.run(steps)
                steps = []
                account = ACCOUNTS[fact.account]
                purse = Holding(player_account(account), Asset.JOKER)
                if model.jokers[account]:
                    model.jokers[account] -= 1
                    books.balances[purse] -= 1
                continue
            model.tell(fact, of)
            chosen = [of[fact.tournament][number] for number in fact.numbers]
            event = (revoked if fact.revokes else awarded)(*chosen, finished_at=NOON)
            steps += steps_of_prize_fact(recorded(event, TOURNAMENTS[fact.tournament], LATE, version), SOURCE)
        books.run(steps)

    held, sums = books.held(), Counter[tuple[Asset, str]]()
    for (_, asset, kind), amount in held.items():
        sums[asset, kind] += amount
    assert not any(sums.values())
    assert {
        place: amount for place, amount in held.items() if amount and place[0].startswith("players/")
    } == {place: amount for place, amount in model.held().items() if amount}
    assert books.refused == model.refused
    for account in ACCOUNTS:
        purse = Holding(player_account(account), Asset.JOKER)
        assert books.balances.get(purse, 0) == model.jokers[account] >= 0


def test_a_spend_of_won_jokers_keeps_their_prize_from_being_taken_back() -> None:
    """The balance would fall below zero: refused, told to an operator; points and cup are taken back."""
    won = award(1, ACCOUNTS[0], 100, 2, "gold")
    at = recorded(awarded(won, finished_at=NOON), TOURNAMENTS[0], LATE)
    purse = player_account(ACCOUNTS[0])
    spend = PostTransfer("spend/1", Asset.JOKER, purse, HOUSE_JOKERS, 1, "JOKER_SPENT", LATE, LATE, "")
    taken = recorded(revoked(won, finished_at=NOON), TOURNAMENTS[0], LATE, 2)
    steps = [*steps_of_prize_fact(at, SOURCE), spend, *steps_of_prize_fact(taken, SOURCE)]
    settled = settle(steps, {}, {}, (), LATE)

    assert settled.refusals == (None, None, None, None, None, Refusal.BALANCE_TOO_LOW, None)
    assert settled.balances == {Holding(purse, Asset.JOKER): 1}
    reversals = [fact for fact in settled.facts if isinstance(fact, TransferPosted) and fact.reverses]
    assert [fact.asset for fact in reversals] == [Asset.POINTS, Asset.CUP]


def test_other_contents_under_a_known_number_are_refused() -> None:
    """Neither paid nor taken back: what stands is what was told first."""
    told_first = recorded(awarded(award(1, ACCOUNTS[0], 100), finished_at=NOON), TOURNAMENTS[0], LATE)
    other = award(1, ACCOUNTS[0], 90)
    more = recorded(awarded(other, finished_at=NOON), TOURNAMENTS[0], LATE, 2)
    less = recorded(revoked(other, finished_at=NOON), TOURNAMENTS[0], LATE, 3)
    steps = [step for each in (told_first, more, less) for step in steps_of_prize_fact(each, SOURCE)]
    settled = settle(steps, {}, {}, (), LATE)

    assert settled.refusals == (None, Refusal.KEY_REUSED, Refusal.KEY_REUSED)
    assert len(settled.facts) == 1
