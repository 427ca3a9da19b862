"""The kernel says of MCR hands what the definition says, on random hands aimed at every fan."""

from __future__ import annotations

from random import Random

import pytest

from libs.kernel import mcr
from libs.rules.mcr.hand import Hand
from libs.rules.mcr.profile import MIL, WMO, Profile
from libs.rules.mcr.score import score
from libs.rules.mcr.tiles import ALL_TILES, COPIES
from tests.property.kernel.mcr_agreement import (
    OWN,
    disagreement,
    distance_disagreement,
    reading_disagreement,
)
from tests.property.rules.mcr.random_hands import random_hands

pytestmark = pytest.mark.timeout(120)


@pytest.mark.parametrize(("profile", "hands", "seed"), [(MIL, 2_000, 11), (WMO, 700, 12), (OWN, 700, 13)])
def test_scores_agree(profile: Profile, hands: int, seed: int) -> None:
    """Total and fans, among equal totals the same ones; the campaign tries more."""
    differing = (disagreement(hand, win, profile) for hand, win in random_hands(seed, hands))

    assert [told for told in differing if told] == []


@pytest.mark.parametrize(("profile", "seed"), [(MIL, 16), (WMO, 17), (OWN, 18)])
def test_the_reading_that_is_told_scores_what_is_told(profile: Profile, seed: int) -> None:
    """Of the readings that score the same it may be another one than the definition's."""
    differing = (reading_disagreement(hand, win, profile) for hand, win in random_hands(seed, 300))

    assert [told for told in differing if told] == []


def test_distances_agree() -> None:
    """Of hands that were nearly complete, and of any tiles, with melds and without."""
    random = Random(14)
    wall = [tile for tile in ALL_TILES for _ in range(COPIES)]
    hands = [hand for hand, _ in random_hands(14, 300)]
    hands += [Hand(tuple(random.sample(wall, 13))) for _ in range(200)]

    assert [told for told in map(distance_disagreement, hands) if told] == []


def test_a_batch_holds_the_totals_of_its_hands() -> None:
    """In their order; of a hand that is not complete, that it is not."""
    hands = list(random_hands(15, 300))
    totals = mcr.score_batch(mcr.batch(hands), WMO)
    defined = [score(hand, win, WMO) for hand, win in hands]

    assert list(totals) == [one.total_without_flowers if one else mcr.NOT_COMPLETE for one in defined]
