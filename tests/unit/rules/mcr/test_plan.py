"""What tiles are worth for the hands that count 8 points."""

from __future__ import annotations

from libs.rules.mcr.melds import Set, SetKind, exposed
from libs.rules.mcr.plan import plan
from libs.rules.mcr.plan_terms import FARTHEST, Plan, Question, Rates
from libs.rules.mcr.tiles import COPIES, EAST, counted, tile, tiles

DRAWN, CHOW, ANY = 2_000, 4_000, 8_000


def planned(text: str, *melds: Set, gone: str = "", reach: int = 0, drawn: int = DRAWN) -> Plan:
    """The plan of a hand whose seat sees its own tiles and those that are gone."""
    concealed = tiles(text)
    seen = counted((*concealed, *(one for meld in melds for one in meld.tiles), *tiles(gone)))
    unseen = [COPIES - count for count in seen]
    rates = Rates([drawn] * 34, [max(drawn, CHOW)] * 34, [max(drawn, ANY)] * 34)
    return plan(Question(concealed, melds, unseen, (EAST, EAST), rates, 24, reach))


def test_a_ready_hand_misses_one_tile_and_keeps_all_but_the_stray_one() -> None:
    """A pure straight that waits for 1m and 4m, and a north wind."""
    found = planned("1s 2s 3s 4s 5s 6s 7s 8s 9s 2m 3m C C N")

    assert (found.nearest, found.reach) == (1, 2)
    assert found.worth[tile("N")] == max(found.worth) > 10 * found.worth[tile("5s")]
    assert found.worth[tile("E")] == -1


def test_a_hand_that_is_ready_for_less_than_8_points_is_farther_than_it_looks() -> None:
    """A melded chow, and nothing that counts."""
    found = planned("4s 5s 6s 7s 8s 2m 3m E E 5p", exposed(SetKind.CHOW, tile("1p")))

    assert found.nearest > 1


def test_tiles_of_which_no_copy_is_left_are_not_hoped_for() -> None:
    """All 1m and 4m lie on the table."""
    text = "1s 2s 3s 4s 5s 6s 7s 8s 9s 2m 3m C C N"
    gone = planned(text, gone="1m 1m 1m 1m 4m 4m 4m 4m")
    one_left = planned(text, gone="1m 1m 1m 4m 4m 4m 4m")

    assert gone.nearest == 2
    assert one_left.nearest == 1
    assert gone.total < one_left.total < planned(text).total


def test_hands_of_other_shapes_are_seen() -> None:
    """Seven pairs, thirteen orphans, honours and knitted tiles, a knitted straight with a set and a pair."""
    for text in (
        "1m 1m 3m 3m 5p 5p 7p 7p 2s 2s 8s 8s N",
        "1m 9m 1p 9p 1s 9s E S W N C F P",
        "1m 4m 7m 2p 5p 8p 3s E S W N C F",
        "1m 4m 7m 2p 5p 8p 3s 6s 9s 1s 2s E E",
    ):
        assert planned(text).nearest == 1, text


def test_a_hand_that_needs_the_points_of_self_drawing_waits_for_draws_alone() -> None:
    """Simple tiles and chows: 7 points with a discard, 9 fully concealed, and too few with a melded chow."""
    simple = "2p 3p 4p 6p 7p 8p 4s 5s 8m 8m"
    concealed = f"2m 3m 4m {simple}"

    assert planned(concealed, reach=1).total > 0
    assert planned(concealed, reach=1, drawn=0).total == 0
    assert planned(simple, exposed(SetKind.CHOW, tile("2m")), reach=1).total == 0


def test_what_is_too_far_is_not_found() -> None:
    """Nothing within the reach: no weight, and a distance beyond all."""
    found = planned("1m 4m 8m 2p 5p 9p 3s 6s 9s E S W N N", reach=1)

    assert found.total == 0
    assert found.nearest == FARTHEST + 1
    assert set(found.worth) == {0, -1}
