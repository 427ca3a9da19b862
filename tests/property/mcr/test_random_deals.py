"""Random deals: tiles are conserved, legal actions are what is accepted, deals end, sums are zero."""

from __future__ import annotations

import pytest

from tests.support.mcr_random_play import RandomDeal, Tally

DEALS = 120
"""1 % of `python -m tests.property.mcr.campaign`: some 10,000 actions."""


@pytest.mark.timeout(120)
def test_random_actions_keep_what_must_always_hold() -> None:
    """A slice of the campaign; a fault names its seed."""
    tally = Tally()

    for seed in range(DEALS):
        RandomDeal(seed, tally).run()

    assert tally.deals == DEALS
    assert (
        min(tally.kinds[kind] for kind in ("Win", "ConcealedKong", "AddedKong", "Kong", "Chow", "Pung")) > 0
    )
    assert tally.refused > 0
