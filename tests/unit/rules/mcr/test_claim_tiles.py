"""Which tiles make which set with a discard, and what a win costs whom."""

from __future__ import annotations

import pytest

from libs.rules.mcr.claims import chows, distance, kongs, makes_chow, makes_same, own_kongs, pungs
from libs.rules.mcr.payment import payments
from tests.support.mcr_deals import Box, notation


def test_a_chow_is_three_consecutive_tiles_of_one_suit() -> None:
    """At all three places of it, and with each copy by itself."""
    box = Box()
    hand, offered = box.take("3m 4m 6m 6m 7m 5p 6p"), box.take("5m")[0]

    found = [notation(own) for own in chows(offered, hand)]

    assert sorted(found) == ["3m 4m", "4m 6m", "4m 6m", "6m 7m", "6m 7m"]
    assert all(makes_chow(offered, own) for own in chows(offered, hand))


@pytest.mark.parametrize(
    ("own", "offered"), [("8m 9m", "1p"), ("9m 2p", "1p"), ("E S", "W"), ("1m 2p", "3m"), ("8s 9s", "E")]
)
def test_no_chow_of_two_suits_or_of_honours(own: str, offered: str) -> None:
    """A suit ends at nine; winds and dragons have no order."""
    box = Box()
    hand, tile = box.take(own), box.take(offered)[0]

    assert not makes_chow(tile, tuple(hand))
    assert chows(tile, hand) == []


def test_pungs_and_kongs_take_tiles_of_the_same_face() -> None:
    """Two of three own tiles in three ways, all three for a kong; flowers are never part of a set."""
    box = Box()
    hand, tile = box.take("E E E S Fl1"), box.take("E")[0]

    assert len(pungs(tile, hand)) == 3
    assert [notation(own) for own in kongs(tile, hand)] == ["E E E"]
    assert makes_same(tile, tuple(hand[:3]))
    assert not makes_same(tile, tuple(hand[2:4]))
    assert own_kongs(hand) == []
    assert [notation(own) for own in own_kongs([*hand, tile])] == ["E E E E"]


def test_turn_order_is_counted_from_the_discarder() -> None:
    """The next player is the nearest."""
    assert [distance(seat, 2) for seat in (3, 0, 1)] == [1, 2, 3]


def test_self_drawn_each_opponent_pays_8_and_the_total() -> None:
    """Three times 8 and 12 points."""
    assert payments(12, 1, None) == (-20, 60, -20, -20)


def test_on_a_discard_the_discarder_pays_8_and_the_total_and_each_other_opponent_8() -> None:
    """The others pay no points of the hand."""
    assert payments(12, 1, 3) == (-8, 36, -8, -20)


@pytest.mark.parametrize("total", [8, 9, 25, 88, 333])
@pytest.mark.parametrize("payer", [None, 0, 1, 3])
def test_the_four_results_of_a_deal_add_up_to_0(total: int, payer: int | None) -> None:
    """Points are neither made nor lost."""
    assert sum(payments(total, 2, payer)) == 0
