"""Orders of every asset in any order and any batches: the books of each asset and kind of cup sum to zero."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from services.ledger.assets import AMOUNT_MAX, BALANCED, Asset, player_of
from services.ledger.commands import PostTransfer
from services.ledger.domain.cancelling import Posted, cancel
from services.ledger.domain.journal import BALANCE_MAX, Holding, balances_after, decide
from services.ledger.events import TransferPosted

NOON = datetime(2026, 3, 2, 10, tzinfo=UTC)
ACCOUNTS = ["house/a", "house/b", *(f"players/00000000-0000-0000-0000-00000000000{n}" for n in range(3))]
LARGE = [AMOUNT_MAX, AMOUNT_MAX - 1, 1]

kinds = st.one_of(
    st.tuples(st.sampled_from([asset for asset in Asset if asset is not Asset.CUP]), st.just("")),
    st.tuples(st.just(Asset.CUP), st.sampled_from(["champions", "arena", "weekly-3"])),
)
sides = st.lists(st.sampled_from(ACCOUNTS), min_size=2, max_size=2, unique=True)
amounts = st.one_of(st.integers(1, 9), st.sampled_from(LARGE))
orders = st.builds(
    lambda key, kind, pair, amount: PostTransfer(
        f"k/{key}", kind[0], pair[0], pair[1], amount, "ANY", NOON, NOON, "", kind[1]
    ),
    st.integers(0, 25),
    kinds,
    sides,
    amounts,
)
books = st.tuples(
    st.lists(st.lists(orders, min_size=1, max_size=8), max_size=8), st.sets(st.integers(0, 25), max_size=6)
)


@settings(max_examples=300, deadline=None)
@given(books, st.dictionaries(st.sampled_from(ACCOUNTS[2:]), st.integers(BALANCE_MAX - 9, BALANCE_MAX)))
def test_every_asset_sums_to_zero_whatever_is_posted_and_taken_back(
    script: tuple[list[list[PostTransfer]], set[int]], rich: dict[str, int]
) -> None:
    """Balances are opening plus transfers, between 0 and 2^53; a reversal leaves nothing of its transfer."""
    opening = {Holding(account, asset): amount for account, amount in rich.items() for asset in BALANCED}
    balances, transfers = dict(opening), dict[str, TransferPosted]()
    batches, taken_back = script
    for batch in batches:
        decided = decide(batch, transfers, balances)
        balances |= decided.balances
        transfers |= {each.key: each for each in decided.outcomes if isinstance(each, TransferPosted)}
    for key in sorted(f"k/{number}" for number in taken_back):
        if key not in transfers:
            continue
        reversal = cancel(key, Posted(transfers[key]), balances, NOON)
        if isinstance(reversal, TransferPosted):
            balances |= balances_after(reversal, balances)
            transfers[reversal.key] = reversal
            assert (reversal.asset, reversal.cup_kind) == (transfers[key].asset, transfers[key].cup_kind)
    moved, held = Counter[tuple[str, Asset, str]](), Counter(opening)
    for transfer in transfers.values():
        for account, amount in ((transfer.credit, transfer.amount), (transfer.debit, -transfer.amount)):
            moved[account, transfer.asset, transfer.cup_kind] += amount
            if transfer.asset in BALANCED and player_of(account) is not None:
                held[Holding(account, transfer.asset)] += amount
    sums = Counter[tuple[Asset, str]]()
    for (_, asset, kind), amount in moved.items():
        sums[asset, kind] += amount

    assert not any(sums.values())
    assert {holding: balances.get(holding, 0) for holding in held} == dict(held)
    assert all(0 <= amount <= BALANCE_MAX for amount in balances.values())
