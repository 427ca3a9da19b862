"""Hands that public calculators got wrong: each kind of fault, and its neighbours."""

from __future__ import annotations

from libs.rules.mcr.score import Outcome
from tests.support.mcr_hands import scored


def test_a_wait_for_two_tiles_is_no_edge_wait() -> None:
    """GB-Mahjong 2: the hand also waits for 1p, by another reading than the one that scores."""
    best = scored("[NNN,3]77789m11888p7m")

    assert best.fans == {
        "Tile Hog": 1,
        "Two Concealed Pungs": 1,
        "Pung of Terminals or Honors": 1,
        "One Voided Suit": 1,
    }
    assert best.total == 6
    assert "Edge Wait" in scored("[NNN,3]89m888p23455s7m").fans


def test_fans_of_chows_are_found_whatever_is_melded_first() -> None:
    """GB-Mahjong 5: the same chows in every order, melded or not."""
    melds = ["[123p,3]", "[789p,1]", "[123s]", "[789s]"]
    for first, second in ((first, second) for first in melds for second in melds if first != second):
        rest = "".join(meld[1:5] for meld in melds if meld not in {first, second})
        fans = scored(f"{first}{second}5m{rest}5m").fans
        assert fans.get("Three-Suited Terminal Chows") == 1

    best = scored("[123p,3]55m12379s789p8s")

    assert best.fans == {"Three-Suited Terminal Chows": 1, "Closed Wait": 1}
    assert best.total == 17


def test_chicken_hand_stands_alone() -> None:
    """GB-Mahjong 7: a knitted straight is a fan, so the hand is no chicken."""
    assert scored("[678s,3]147m369s25pSS8p").fans == {"Knitted Straight": 1}
    assert scored("[678s,3]147m369s25pSS8p").total == 12
    assert scored("[234m,1][678m,1]44p567sEE4p|SN0000").fans == {"Chicken Hand": 1}


def test_tile_hog_counts_across_melds() -> None:
    """ChineseOfficialMahjongHelper 10: three copies in an exposed pung, the fourth in the knitted nine."""
    best = scored("[999p,1]147m258s369pPP")

    assert best.fans == {
        "Knitted Straight": 1,
        "Tile Hog": 1,
        "Pung of Terminals or Honors": 1,
        "Single Wait": 1,
    }
    assert best.total == 16
    assert "Tile Hog" not in scored("[9999p,1]123m456s789sPP").fans


def test_flowers_are_paid() -> None:
    """riichi_advanced 120: the total that is paid includes them."""
    best = scored("234m345p456s678s5m5m|EE0000|3")

    assert (best.total_without_flowers, best.total) == (12, 15)


def test_flowers_do_not_help_to_eight_points() -> None:
    """riichi_advanced pull request 10: six points and eight flowers may not win."""
    best = scored("[EEE,1]123m123p99s78s9s|SW0000|8")

    assert (best.total_without_flowers, best.total) == (6, 14)
    assert best.outcome is Outcome.UNDER_8


def test_four_equal_chows_are_found_among_many_readings() -> None:
    """mahjong-algorithm 2018-04-18: the best of all readings, not the first."""
    best = scored("1122233334444s2s")

    assert best.fans == {
        "Quadruple Chow": 1,
        "Full Flush": 1,
        "Lower Four": 1,
        "Concealed Hand": 1,
        "All Chows": 1,
    }
    assert best.total == 88


def test_each_chow_outside_is_joined_once() -> None:
    """mahjong-algorithm 2017-10-23: three links join four chows, two terminal chows among them."""
    best = scored("123m789p789s1299p3p")

    assert best.fans == {
        "Outside Hand": 1,
        "Concealed Hand": 1,
        "All Chows": 1,
        "Mixed Double Chow": 2,
        "Two Terminal Chows": 1,
        "Edge Wait": 1,
    }
    assert best.total == 12


def test_honors_are_no_shifted_pairs() -> None:
    """mahjong-algorithm 2017-03-26: seven kinds in a row need ranks."""
    best = scored("EESSWWNNCCFFPP")

    assert best.fans == {"All Honors": 1, "Seven Pairs": 1}
    assert best.total == 88


def test_all_types_counts_on_seven_pairs() -> None:
    """mahjong-mcr 30e: it is about tiles, not about sets."""
    best = scored("11m22p33s44pEECCPP")

    assert best.fans == {"Seven Pairs": 1, "All Types": 1}
    assert best.total == 30
