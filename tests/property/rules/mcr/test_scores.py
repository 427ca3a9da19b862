"""What holds for the score of any hand, on random hands aimed at every fan."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations, permutations
from random import Random

import pytest

from libs.rules.mcr.decompose import readings
from libs.rules.mcr.fans import RULES
from libs.rules.mcr.fans.rule import Rule
from libs.rules.mcr.hand import Hand, Win
from libs.rules.mcr.joining import Groups, Join, best_joins, joined_by, refusal
from libs.rules.mcr.profile import MIL, WMO
from libs.rules.mcr.score import Score, score
from libs.rules.mcr.shanten import completing
from libs.rules.mcr.tiles import ALL_TILES, DRAGONS, FIRST_HONOR, RANKS, WINDS, TileIndex, counted
from tests.property.rules.mcr.random_hands import random_hands
from tests.support.mcr_hands import DATA

SEED, HANDS = 20_261_130, 2_500
PICTURES = {"All Green", "Reversible Tiles"}
"""Fans that name suits and dragons; every other fan is the same in any suit."""

pytestmark = pytest.mark.timeout(120)


@cache
def samples() -> tuple[tuple[Hand, Win, Score | None], ...]:
    """Some thousand hands with their scores."""
    return tuple((hand, win, score(hand, win)) for hand, win in random_hands(SEED, HANDS))


def renamed(hand: Hand, win: Win, names: Sequence[TileIndex]) -> tuple[Hand, Win]:
    """The hand with every tile exchanged for another; a chow stays named by its lowest tile."""
    melds = tuple(meld._replace(tile=min(names[tile] for tile in meld.tiles)) for meld in hand.melds)
    changed = Win(
        names[win.tile],
        win.self_drawn,
        win.last_of_kind,
        win.last_tile,
        win.kong_related,
        names[win.seat_wind],
        names[win.prevalent_wind],
        win.flowers,
    )
    return Hand(tuple(names[tile] for tile in hand.concealed), melds), changed


def assert_same_total(change: Callable[[Hand, Win], tuple[Hand, Win]], pictures: bool = True) -> None:
    """The changed hand has the same total; hands with fans of pictures only where those stay."""
    for hand, win, best in samples():
        again = score(*change(hand, win))
        if best is None or again is None:
            assert best is again, (hand, win)
        elif pictures or not PICTURES & {*best.fans, *again.fans}:
            assert again.total == best.total, (hand, win)


def test_every_fan_occurs_among_the_random_hands() -> None:
    """So the properties below speak of all 81 and the one without a number."""
    seen = {one.fan.number for _, _, best in samples() if best for one in best.counted}

    assert seen == set(range(1, 83)) - {81}
    assert any(best and best.flowers for _, _, best in samples())


def test_the_order_of_tiles_and_melds_does_not_matter() -> None:
    """A hand is what it holds."""
    random = Random(SEED)

    def shuffled(hand: Hand, win: Win) -> tuple[Hand, Win]:
        tiles, melds = list(hand.concealed), list(hand.melds)
        random.shuffle(tiles)
        random.shuffle(melds)
        return Hand(tuple(tiles), tuple(melds)), win

    assert_same_total(shuffled)


def test_suits_may_be_exchanged() -> None:
    """All but the fans of pictures know no suit."""
    suits = Random(SEED).choice(list(permutations(range(3)))[1:])
    names = [
        TileIndex(suits[tile // RANKS] * RANKS + tile % RANKS) if tile < FIRST_HONOR else tile
        for tile in ALL_TILES
    ]

    assert_same_total(lambda hand, win: renamed(hand, win, names), pictures=False)


def test_ranks_may_be_counted_from_the_other_end() -> None:
    """1 to 9 as 9 to 1: upper and lower fans change places and are worth the same."""
    names = [TileIndex(tile + 8 - 2 * (tile % RANKS)) if tile < FIRST_HONOR else tile for tile in ALL_TILES]

    assert_same_total(lambda hand, win: renamed(hand, win, names), pictures=False)


def test_winds_may_be_exchanged_with_those_of_seat_and_round() -> None:
    """And dragons among themselves, where no picture counts."""
    names = list(ALL_TILES)
    for kinds in (WINDS, DRAGONS):
        ordered = sorted(kinds)
        for tile, other in zip(ordered, [*ordered[1:], ordered[0]], strict=True):
            names[tile] = other

    assert_same_total(lambda hand, win: renamed(hand, win, names), pictures=False)


def test_flowers_change_neither_the_fans_nor_what_may_be_declared() -> None:
    """They are added, one point each."""
    for _, win, best in samples():
        if best is not None:
            assert best.total == best.total_without_flowers + win.flowers
            assert (best.outcome == "win") == (best.total_without_flowers >= 8)


def test_a_hand_has_a_score_when_the_last_tile_completes_it() -> None:
    """Readings of the whole, and tiles that complete the rest, are one thing."""
    for hand, win, best in samples():
        assert (best is not None) == (win.tile in completing(hand.concealed, hand.melds)), (hand, win)


def test_every_reading_lays_out_the_tiles_of_the_hand() -> None:
    """No tile twice, none left over."""
    for hand, win, _ in samples():
        counts = counted((*hand.concealed, win.tile))
        for reading in readings(counts, hand.melds, win.tile):
            if reading.sets and reading.pair is not None:
                laid = [tile for one in reading.sets for tile in one.tiles]
                laid += [reading.pair, reading.pair, *reading.knitted]
                assert counted(laid) == counted((*hand.all_tiles, win.tile)), (hand, win)


def test_no_counted_fan_excludes_another() -> None:
    """By the table of what excludes what, which the rules have not been made from."""
    table = {fan["name"]: fan["excludes"] for fan in json.loads((DATA / "fans.json").read_text())["fans"]}
    for hand, win, best in samples():
        for fan in best.fans if best else ():
            assert not set(table.get(fan, ())) & set(best.fans if best else ()) - {fan}, (hand, win, fan)


def test_the_profiles_differ_by_contested_points_only() -> None:
    """Where none is touched, the total is the same."""
    contested = {"Two Concealed Kongs", "Concealed Kong and Melded Kong", "Knitted Straight"}
    for hand, win, best in samples()[:600]:
        other = score(hand, win, WMO)
        if best is None or other is None:
            assert best is other
            continue
        if not contested & {*best.fans, *other.fans} and not win.self_drawn:
            assert other.total == best.total, (hand, win)
        elif "Knitted Straight" not in best.fans:
            assert other.total >= best.total, (hand, win)


def test_joins_are_the_best_choice_there_is() -> None:
    """Against every subset that keeps to the principles, tried in every order of their number."""
    for hand, win, best in samples()[:700]:
        if best is None:
            continue
        joins = _joins_of(best)
        chosen = best_joins(joins, MIL)
        allowed = [
            some for size in range(4) for some in combinations(joins, size) if _keeps_to_principles(some)
        ]

        assert _points(chosen) == max(map(_points, allowed)), (hand, win)
        assert _keeps_to_principles(chosen)


def _joins_of(best: Score) -> list[Join]:
    rules: dict[int, Rule] = {rule.fan.number: rule for rule in RULES if rule.joins}
    found = [(one.fan.number, one.sets) for one in best.counted]
    found += [(one.fan.number, one.sets) for one in best.excluded]
    return [(rules[number], sets) for number, sets in sorted(found) if number in rules]


def _keeps_to_principles(some: Sequence[Join]) -> bool:
    groups: Groups = tuple(range(4))
    for place, join in enumerate(some):
        if refusal(join, some[:place], groups) is not None:
            return False
        groups = joined_by(join[1], groups)
    return True


def _points(some: Sequence[Join]) -> int:
    return sum(rule.fan.points for rule, _ in some)
