"""Turns: draw, then discard, or win, or a kong; after a claim discard first."""

from __future__ import annotations

from uuid import UUID

import pytest

from libs.rules.mcr.wall import TileId
from services.mcr.domain.deal.actions import (
    Action,
    AddedKong,
    Chow,
    ConcealedKong,
    Discard,
    Kong,
    Pass,
    Pung,
    Win,
)
from services.mcr.domain.deal.commands import Act, ByAccount, ByAi
from services.mcr.domain.deal.decide import decide
from services.mcr.domain.deal.refusal import Refusal
from services.mcr.domain.deal.state import AfterClaim, AfterDraw, NotDealt
from tests.support.mcr_deals import FOUR_AI, DealPlay, after, notation, rigged
from tests.unit.mcr.hands import STRAIGHT, hands


def test_in_turn_draw_then_discard() -> None:
    """The next player draws from the beginning of the wall, and so on around the table."""
    play = DealPlay(rigged(draws="9m 9m 1s 9m 1s"), FOUR_AI)

    for seat in (0, 1, 2, 3, 0):
        assert isinstance(play.state, AfterDraw)
        assert play.state.seat == seat
        play.act(seat, Discard(play.state.drawn))

    assert [notation(pile) for pile in play.table.discards] == ["9m 1s", "9m", "1s", "9m"]


def test_any_held_tile_may_be_discarded_and_no_other() -> None:
    """A client's confirmed discard is final: it is gone from the hand."""
    play = DealPlay(rigged(draws="9m"))
    tile = play.held(0, "N")[0]

    assert play.act(0, Discard(play.held(1, "1m")[0])) is Refusal.NO_SUCH_TILE
    assert isinstance(play.act(0, Discard(tile)), list)

    assert tile not in play.table.hands[0]
    assert play.table.discards[0] == (tile,)


@pytest.mark.parametrize("seat", [1, 2, 3])
def test_only_the_seat_on_turn_discards(seat: int) -> None:
    """For the others it is not their turn."""
    play = DealPlay(rigged(draws="9m"))

    assert play.act(seat, Discard(play.table.hands[seat][0])) is Refusal.NOT_YOUR_TURN
    assert play.act(seat, Win()) is Refusal.NOT_YOUR_TURN


def test_a_win_may_be_declared_on_the_dealers_first_turn() -> None:
    """As after any draw."""
    play = DealPlay(rigged(hands(s0=STRAIGHT), draws="4m"))

    assert Win() in play.legal(0)
    assert isinstance(play.act(0, Win()), list)


def test_after_a_pung_or_chow_discard_first_no_kong_no_win_before_that_discard() -> None:
    """Four of a kind in the hand, and a hand that the claim has completed, have to wait."""
    held = "1m 1m 1m 1m 2m 3m 4m 5m 6m 7m 8m 9m 9m"
    dealt = hands(s0="9m E S W N C F P 3s 6s 9s 2p 5p", s1=held, s2="4p 7p 1p 8p 3p 6p 9p 1s 4s 7s F P S")
    play = DealPlay(rigged(dealt, draws="8p"))
    play.act(0, Discard(play.held(0, "9m")[0]))
    play.act(1, Pung(play.held(1, "9m 9m")), 1_000)
    assert isinstance(play.state, AfterClaim)

    kong = ConcealedKong(play.held(1, "1m 1m 1m 1m"))
    assert play.act(1, kong) is Refusal.DISCARD_FIRST
    assert play.act(1, AddedKong(play.held(1, "1m")[0])) is Refusal.DISCARD_FIRST
    assert play.act(1, Win()) is Refusal.DISCARD_FIRST
    assert {type(action) for action in play.legal(1)} == {Discard}
    assert isinstance(play.act(1, Discard(play.held(1, "5m")[0])), list)


def test_claims_and_passes_have_nothing_to_answer_in_a_turn() -> None:
    """Before a discard there is nothing to claim."""
    play = DealPlay(rigged(draws="9m"))
    two, three = play.table.hands[0][:2], play.table.hands[0][:3]
    answers: list[Action] = [Pass(), Pung(two), Chow(two), Kong(three)]

    assert [play.act(0, answer) for answer in answers] == [Refusal.NOTHING_TO_CLAIM] * 4


def test_a_command_for_another_decision_than_the_present_one_is_stale() -> None:
    """A discard that comes after its turn's time never becomes one of the next turn."""
    play = DealPlay(rigged(draws="9m"))
    tile = Discard(play.held(0, "N")[0])

    assert play.act(0, tile, decision=play.table.decision - 1) is Refusal.STALE_DECISION
    assert play.act(0, tile, decision=play.table.decision + 1) is Refusal.STALE_DECISION
    assert play.act(0, tile, 20_000, play.table.decision) is Refusal.STALE_DECISION


@pytest.mark.parametrize(
    "action",
    [
        Discard(TileId(144)),
        Discard(TileId(-1)),
        Pung((TileId(1),)),
        Kong((TileId(1), TileId(2))),
        Chow((TileId(1), TileId(1))),
        ConcealedKong((TileId(1), TileId(2), TileId(3), TileId(3))),
    ],
)
def test_tiles_that_do_not_exist_and_wrong_numbers_of_them_are_invalid(action: Action) -> None:
    """Whatever else is the case."""
    play = DealPlay(rigged(draws="9m"))

    assert play.act(1, action) is Refusal.ACTION_INVALID


def test_only_those_who_sit_there_act() -> None:
    """Neither a stranger, nor the AI for a person who is there; and there is a deal at all."""
    play = DealPlay(rigged(draws="9m"))
    tile, number = Discard(play.table.hands[0][0]), play.table.decision
    stranger, ai = ByAccount(UUID(int=1)), ByAi(0)

    assert play.order(Act(stranger, tile, number, after(0))) is Refusal.NOT_YOURS
    assert play.order(Act(ai, tile, number, after(0))) is Refusal.NOT_YOURS
    assert play.order(Act(ByAi(9), tile, number, after(0))) is Refusal.NOT_YOURS
    assert decide(Act(ai, tile, number, after(0)), NotDealt(), play.scorer) is Refusal.NOT_FOUND
