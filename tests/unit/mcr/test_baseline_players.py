"""The players that others are measured against."""

from __future__ import annotations

from libs.kernel.mcr import least_shanten
from libs.rules.mcr.hand import Hand
from libs.rules.mcr.wall import SEATS, kinds_of
from services.mcr.domain.deal.actions import Chow, ConcealedKong, Discard, Pass, Win
from services.mcr.domain.deal.autoplay import played_out
from services.mcr.domain.deal.scorer import rule_book
from services.mcr.domain.deal.state import Ended
from services.mcr.domain.deal.terms import DealTerms
from services.mcr.domain.deal.walls import lay_wall
from services.mcr.domain.players.baseline import any_legal, fastest
from tests.support.mcr_deals import FOUR_AI, TABLE_ID, DealPlay, after, named, rigged
from tests.unit.mcr.hands import STRAIGHT, hands

DEALS = 10


def played(number: int, *, quick: bool) -> Ended:
    """A deal of four equal players."""
    wall = lay_wall(number.to_bytes(32), bytes(32))
    choosers = [
        fastest if quick else any_legal((SEATS * number + seat).to_bytes(32)) for seat in range(SEATS)
    ]
    return played_out(DealTerms(TABLE_ID, 1, FOUR_AI), wall, choosers, rule_book, after(0))[0]


def left_to_ready(deals: list[Ended]) -> float:
    """How far hands are from ready at the end, on average."""
    hands = [
        Hand(kinds_of(hand), tuple(meld.as_set for meld in melds))
        for ended in deals
        for hand, melds in zip(ended.table.hands, ended.table.melds, strict=True)
        if len(hand) + 3 * len(melds) == 13
    ]
    return sum(map(least_shanten, hands)) / len(hands)


def test_both_play_legal_actions_only_and_the_fastest_come_nearer_to_ready() -> None:
    """Whole deals, the same walls for both."""
    slow, quick = ([played(number, quick=is_quick) for number in range(DEALS)] for is_quick in (False, True))

    assert left_to_ready(quick) < 1.5 < left_to_ready(slow)


def test_they_take_every_win() -> None:
    """Drawn, and offered."""
    drawn = DealPlay(rigged(hands(s0=STRAIGHT), draws="4m"), FOUR_AI)
    offered = DealPlay(rigged(hands(s2=STRAIGHT), draws="9m"), FOUR_AI)
    offered.act(0, Discard(offered.held(0, "4m")[0]))

    for choose in (fastest, any_legal(bytes(32))):
        assert choose(drawn.view(0)) == Win()
        assert choose(offered.view(2)) == Win()


def test_the_fastest_discards_what_helps_least() -> None:
    """A hand one tile from complete keeps all but the stray one."""
    play = DealPlay(rigged(hands(s0=STRAIGHT), draws="N"), FOUR_AI)
    choice = fastest(play.view(0))

    assert isinstance(choice, Discard)
    assert named(choice.tile) == "N"


def test_the_fastest_claims_only_what_brings_it_nearer() -> None:
    """A chow that completes a set, and none that breaks one."""
    nearer = DealPlay(rigged(hands(s1="1s 2s 3s 4s 5s 6s 7s 8s 9s 2m 3m C F"), draws="9m"), FOUR_AI)
    nearer.act(0, Discard(nearer.held(0, "4m")[0]))
    breaking = DealPlay(rigged(hands(s1=STRAIGHT, s0="4s E E E S S W W N N 2p 8s 9m"), draws="9m"), FOUR_AI)
    breaking.act(0, Discard(breaking.held(0, "4s")[0]))

    assert isinstance(fastest(nearer.view(1)), Chow)
    assert fastest(breaking.view(1)) == Pass()


def test_the_fastest_declares_a_kong_that_costs_no_way() -> None:
    """Four of a kind beside sets that stand."""
    held = "1p 1p 1p 1p 2s 3s 4s 6s 7s 8s 5m 6m C"
    play = DealPlay(rigged(hands(s0=held), draws="9m"), FOUR_AI)

    assert isinstance(fastest(play.view(0)), ConcealedKong)
