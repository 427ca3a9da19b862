"""The AI players of the three levels."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from libs.rules.mcr.tiles import tile
from libs.rules.mcr.wall import SEATS
from services.mcr.domain.deal.actions import Chow, ConcealedKong, Discard, Pass, Win
from services.mcr.domain.deal.autoplay import played_out
from services.mcr.domain.deal.scorer import rule_book
from services.mcr.domain.deal.terms import Ai, AiLevel, DealTerms, MeldKind
from services.mcr.domain.deal.view import DealView, MeldView
from services.mcr.domain.deal.walls import lay_wall
from services.mcr.domain.players import choose, chooser
from services.mcr.domain.players.baseline import fastest
from services.mcr.domain.players.danger import danger
from services.mcr.domain.players.seen import seen
from tests.support.mcr_deals import FOUR_AI, TABLE_ID, Box, DealPlay, after, named, rigged
from tests.unit.mcr.hands import STRAIGHT, hands

SEED = bytes(range(32))
DEALS = 3


def strong(view: DealView) -> object:
    """What the strongest does."""
    return choose(AiLevel.STRONG, SEED, view)


def drawing(hand: str, tile: str) -> DealPlay:
    """A deal whose dealer holds this and has drawn that."""
    return DealPlay(rigged(hands(s0=hand), draws=tile), FOUR_AI)


def offered(hand: str, tile: str) -> DealPlay:
    """A deal in which the next player after the dealer holds this, and is offered that."""
    play = DealPlay(rigged(hands(s1=hand), draws=tile), FOUR_AI)
    play.act(0, Discard(play.held(0, tile)[0]))
    return play


@pytest.mark.parametrize("level", AiLevel)
def test_every_level_takes_every_win(level: AiLevel) -> None:
    """Drawn, and offered."""
    assert choose(level, SEED, drawing(STRAIGHT, "4m").view(0)) == Win()
    assert choose(level, SEED, offered(STRAIGHT, "4m").view(1)) == Win()


def test_the_strongest_gives_up_speed_for_points() -> None:
    """Ready with what counts too little, it goes back for a pure straight; the fastest stays ready."""
    play = drawing("1s 2s 3s 4s 5s 6s 7s 9s 2m 3m 4m C C", "5m")
    choice, quick = strong(play.view(0)), fastest(play.view(0))

    assert isinstance(choice, Discard)
    assert isinstance(quick, Discard)
    assert named(choice.tile)[-1] == "m"


def test_the_strongest_claims_no_set_that_costs_the_points() -> None:
    """A chow with a terminal, in a concealed hand of simple tiles: the fastest takes it."""
    play = offered("2p 3p 4p 6p 7p 8p 2s 3s 8m 8m 5s 6s N", "1s")

    assert isinstance(fastest(play.view(1)), Chow)
    assert strong(play.view(1)) == Pass()


def test_the_strongest_claims_a_set_of_its_straight() -> None:
    """Two tiles away from a pure straight."""
    play = offered("1s 2s 3s 5s 6s 7s 8s 9s 2m 3m C C N", "4s")

    assert isinstance(strong(play.view(1)), Chow)


def test_the_strongest_declares_a_kong_that_costs_nothing() -> None:
    """Four equal tiles beside a straight that is nearly there."""
    play = drawing("1s 2s 3s 4s 5s 6s 7s 8s C C 1p 1p 1p", "1p")

    assert isinstance(strong(play.view(0)), ConcealedKong)


def test_the_strongest_keeps_a_kong_that_it_needs_as_chows() -> None:
    """Four of a rank that stand in a set of three and a chow, before the last tile of a pure straight."""
    play = drawing("1s 2s 3s 4s 4s 4s 4s 5s 6s 7s 8s 5m 5m", "9m")

    assert not isinstance(strong(play.view(0)), ConcealedKong)


def test_what_lies_on_the_table_is_not_waited_for() -> None:
    """Of two chows that are begun, the one whose tiles are gone is broken up."""
    held, gone = "1s 2s 3s 4s 5s 6s 7s 8s 9s 2m 3m 7p 8p", "1m 1m 1m 4m 4m 4m 4m"
    view = drawing(held, "C").view(0)
    box = Box()
    box.take(held)
    seats = list(view.seats)
    seats[1] = replace(seats[1], discards=tuple(box.take(f"{gone} C C C")))
    choice = strong(replace(view, seats=tuple(seats)))

    assert isinstance(choice, Discard)
    assert named(choice.tile) in {"2m", "3m", "C"}


def test_danger_grows_with_melds_and_goes_with_their_suit() -> None:
    """Three chows of bamboos lie before the next player; what that one has thrown is less likely."""
    view = drawing(STRAIGHT, "N").view(0)
    box = Box()
    chows = [box.take(text) for text in ("1s 2s 3s", "4s 5s 6s", "7s 8s 9s")]
    melds = tuple(MeldView(MeldKind.CHOW, tuple(one), one[0], 0) for one in chows)
    seats = list(view.seats)
    seats[1] = replace(seats[1], melds=melds, discards=tuple(box.take("5p 9p 1p")))
    unseen = seen(view).unseen
    before, now = danger(view, unseen), danger(replace(view, seats=tuple(seats)), unseen)

    assert now[tile("6m")] > before[tile("6m")]
    assert now[tile("6s")] > 1.5 * now[tile("6m")]
    assert now[tile("5p")] < now[tile("6p")]
    assert now[tile("1p")] < now[tile("9p")] / 2, "the last discard of all was let pass"


def test_the_same_view_and_seed_give_the_same_action_in_any_thread() -> None:
    """Pickled players too."""
    views = [drawing("1s 2s 3s 5s 6s 7s 8s 9s 2m 3m C C N", text).view(0) for text in ("9m", "5p", "E", "4s")]
    for level in AiLevel:
        player = pickle.loads(pickle.dumps(chooser(level, SEED)))  # noqa: S301 its own words
        with ThreadPoolExecutor(4) as pool:
            told = list(pool.map(player, views * 3))

        assert told == [choose(level, SEED, view) for view in views] * 3


def test_they_play_legal_actions_only() -> None:
    """Whole deals of all levels together."""
    levels = (AiLevel.STRONG, AiLevel.MIDDLE, AiLevel.EASY, AiLevel.STRONG)
    terms = DealTerms(TABLE_ID, 1, tuple(map(Ai, levels)))
    for number in range(DEALS):
        choosers = [chooser(levels[(seat + number) % SEATS], SEED) for seat in range(SEATS)]
        ended, _ = played_out(terms, lay_wall(number.to_bytes(32), SEED), choosers, rule_book, after(0))

        assert ended.outcome is not None
