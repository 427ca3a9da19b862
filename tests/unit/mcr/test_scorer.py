"""The scorer that deals ask: points of the fans add up, and are those of the definition."""

from __future__ import annotations

from libs.rules.mcr.hand import Hand
from libs.rules.mcr.hand import Win as LastTile
from libs.rules.mcr.score import score
from libs.rules.mcr.tiles import tile, tiles
from services.mcr.domain.deal.scorer import rule_book


def test_the_points_of_the_fans_add_up_to_the_points_of_the_hand() -> None:
    """As the definition counts them; flowers stand beside."""
    hand = Hand(tiles("1s 2s 3s 4s 5s 6s 7s 8s 9s 2m 3m C C"))
    last = LastTile(tile("4m"), self_drawn=True, flowers=2)
    found, defined = rule_book(hand, last), score(hand, last)

    assert found is not None
    assert defined is not None
    assert found.points == sum(fan.points for fan in found.fans) == defined.total_without_flowers
    assert (found.flowers, found.total) == (2, found.points + 2)
    assert rule_book(hand, LastTile(tile("5m"))) is None
