"""The rules of fans: what the profile decides, how the last tile is read, what excludes what."""

from __future__ import annotations

import json

import pytest

from libs.rules.mcr.fans import RULES
from libs.rules.mcr.fans_table import FANS, MIXED_KONGS
from libs.rules.mcr.joining import Principle
from libs.rules.mcr.profile import MIL, WMO, Profile
from libs.rules.mcr.score import score
from tests.support.mcr_hands import DATA, scored, scored_hands

BESIDE_THE_TABLE = {
    "Big Three Dragons": {"Pung of Terminals or Honors"},
    "Little Three Dragons": {"Pung of Terminals or Honors"},
    "Quadruple Chow": set[str](),
}
"""Of its own sets: the table says it of dragon pungs, which these two leave out."""


def test_every_fan_but_two_has_a_rule_with_a_sentence() -> None:
    """Chicken Hand and Flower Tiles are no rules about tiles."""
    numbers = [rule.fan.number for rule in RULES]

    assert numbers == [n for n in range(1, 83) if n not in {43, 81}]
    assert all(rule.sentence.endswith(".") for rule in RULES)


def test_rules_exclude_what_the_table_says() -> None:
    """Fan by fan, in the whole hand and in the same sets; the table is not what the rules are made from."""
    titles = {fan.number: fan.title for fan in (*FANS, MIXED_KONGS)}
    table = {fan["name"]: fan for fan in json.loads((DATA / "fans.json").read_text())["fans"]}
    for rule in RULES:
        if rule.fan is MIXED_KONGS:
            continue
        told = table[rule.fan.title]
        by_nature = {"Concealed Hand", "Fully Concealed Hand"} if rule.concealed_by_nature else set[str]()
        same_sets = {
            name.removesuffix(" (one of them)") for name in told.get("excludes_for_the_same_sets", ())
        }
        extra = BESIDE_THE_TABLE.get(rule.fan.title, set())

        ours = {titles[number] for number in rule.excludes} - {MIXED_KONGS.title} | by_nature
        assert ours == set(told["excludes"]), rule.fan
        assert {titles[number] for number in rule.excludes_in_its_sets} == same_sets | extra, rule.fan


KONGS, MIXED, CONCEALED = "Two Concealed Kongs", "Concealed Kong and Melded Kong", "Fully Concealed Hand"
STRAIGHT, DRAWN = "Knitted Straight", "Self-Drawn"


@pytest.mark.parametrize(
    ("hand", "mil", "wmo"),
    [
        ("[1111m][9999s]234p67pEE5p", {KONGS: 6}, {KONGS: 8}),
        ("[1111m][9999s,1]234p67pEE5p", {MIXED: 5}, {MIXED: 6}),
        ("147m258p369sESWNC", {STRAIGHT: 12}, {}),
        ("1133m5577p99s1144s|EE1000", {DRAWN: 1}, {CONCEALED: 4}),
        ("2233445566778m8m|EE1000", {DRAWN: 1}, {CONCEALED: 4}),
        ("19m19p19sESWNCFPP|EE1000", {DRAWN: 1}, {CONCEALED: 4}),
        ("1112345678999s2s|EE1000", {DRAWN: 1}, {CONCEALED: 4}),
        ("222m444p666s999p8s8s|EE1000", {DRAWN: 1}, {CONCEALED: 4}),
        ("147m258pESWNCFP3s|EE1000", {DRAWN: 1}, {CONCEALED: 4}),
        ("147m258p36sESWNCF|EE1000", {DRAWN: 1}, {CONCEALED: 4}),
    ],
)
def test_the_profiles_differ_where_the_books_do(hand: str, mil: dict[str, int], wmo: dict[str, int]) -> None:
    """Kongs, the straight among honours, and self-drawn hands that cannot but be concealed."""
    contested = {KONGS, MIXED, CONCEALED, STRAIGHT, DRAWN}
    for profile, points in ((MIL, mil), (WMO, wmo)):
        counted = {one.fan.title: one.points for one in scored(hand, profile).counted}

        assert {title: counted[title] for title in contested & set(counted)} == points


def test_untouched_hands_are_the_same_in_both_profiles() -> None:
    """Of the recorded ones, those without a tag of a contested point."""
    for case in scored_hands()[:800]:
        if case.contested or case.total is None:
            continue
        best = score(case.asked.hand, case.asked.win, WMO)

        assert best is not None
        assert best.total_without_flowers == case.total, case.asked.name


@pytest.mark.parametrize(("switch", "total"), [(True, 17), (False, 16)])
def test_a_tile_of_the_knitted_nine_may_count_as_a_wait(switch: bool, total: int) -> None:
    """3m is one of the nine, and ends 1234567s369m's closed wait as well: by the switch."""
    profile = Profile("own", 6, 5, False, True, wait_in_straight=switch)

    assert scored("13347s12369m258p3m", profile).total == total


@pytest.mark.parametrize(("switch", "total"), [(True, 7), (False, 8)])
def test_a_second_wait_that_the_hand_holds_itself_is_one_by_the_switch(switch: bool, total: int) -> None:
    """All four 5s lie in the hand's own kong, so that 8s alone is left to wait for."""
    profile = Profile("own", 6, 5, False, True, exhausted_wait=switch)

    assert scored("[5555s]44p123s67789s8s", profile).total == total


def test_a_pung_finished_by_a_discard_is_exposed_unless_the_tile_fits_elsewhere() -> None:
    """Three concealed pungs need the tile to complete a chow or the pair instead."""
    assert "Three Concealed Pungs" not in scored("222m666m234p44s55s4s").fans
    assert "Three Concealed Pungs" in scored("222m666m234p44s55s4s|EE1000").fans
    assert "Three Concealed Pungs" in scored("222m333m888p234s5s5s").fans
    assert "Three Concealed Pungs" in scored("222m666m444s23s55p4s").fans


def test_the_last_of_its_kind_is_seen_in_ones_own_pung() -> None:
    """Whatever the flag says: the other three lie on the table."""
    assert "Last Tile" in scored("[777s,1]234m567m44p89s7s").fans
    assert "Last Tile" not in scored("77s234m567m444p89s7s").fans


def test_robbing_a_kong_is_no_last_of_its_kind() -> None:
    """The robbed tile always is; and the hand is concealed all the same."""
    best = scored("234m567m44p45678s3s|EE0101")

    assert {"Robbing the Kong", "Concealed Hand"} <= set(best.fans)
    assert "Last Tile" not in best.fans


def test_last_tile_draw_and_replacement_stand_beside_each_other() -> None:
    """Neither leaves room for self-drawn."""
    best = scored("[5555s,1]234m567m44p79p8p|EE1011")

    assert {"Last Tile Draw", "Out with Replacement Tile"} <= set(best.fans)
    assert "Self-Drawn" not in best.fans


def test_why_a_fan_does_not_count_is_told() -> None:
    """By the fan that is counted instead, or by the principle."""
    best = scored("[123m][123m]112233p5s5s")
    reasons = {one.because for one in best.excluded if one.fan.title == "Mixed Double Chow"}

    assert best.fans["Pure Double Chow"] == 2
    assert best.fans["Mixed Double Chow"] == 1
    assert reasons == {Principle.ACCOUNT_ONCE}
    assert {str(one.because) for one in best.excluded} >= {"its sets are joined already"}


def test_nine_gates_leaves_out_one_pung_of_terminals_only() -> None:
    """Read with both, one counts."""
    assert scored("1112345678999s2s").fans["Pung of Terminals or Honors"] == 1
    assert "Nine Gates" not in scored("1112245678999s3s").fans
