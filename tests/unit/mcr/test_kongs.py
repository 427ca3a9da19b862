"""Kongs: concealed, added, robbed, and those that are refused."""

from __future__ import annotations

from libs.rules.mcr.fans_table import FANS
from services.mcr.domain.deal.actions import AddedKong, ConcealedKong, Discard, Kong, Pass, Pung, Win
from services.mcr.domain.deal.refusal import Refusal
from services.mcr.domain.deal.state import AfterClaim, AfterDraw, RobbingWindow
from services.mcr.domain.deal.terms import MeldKind, Source, WinKind
from services.mcr.domain.deal.view import Phase
from tests.support.mcr_deals import FOUR_AI, DealPlay, notation, rigged, shortened
from tests.unit.mcr.hands import OTHER_STRAIGHT, STRAIGHT, hands

FOUR_OF_A_KIND = hands(s0="9m 9m 9m 2p 5p 8p 3s 6s 9s 1p 1p 1p 1p")
ROBBABLE = hands(s1="4m 4m 1s 1s 4s 7s 9p 9p P P E S W", s2=STRAIGHT, s3=OTHER_STRAIGHT)

NO_4M = "1m 9m 7m 2p 5p 8p 3s 6s 9s S W N C"


def fans(play: DealPlay) -> set[str]:
    """The titles of what the win counted."""
    return {FANS[fan.number - 1].title for fan in play.won.score.fans}


def test_a_concealed_kong_of_four_takes_a_replacement_and_the_turn_goes_on_as_after_any_draw() -> None:
    """Win, another kong, or a discard."""
    play = DealPlay(rigged(FOUR_OF_A_KIND, draws="9m", ends="2s 8s"))
    play.act(0, ConcealedKong(play.held(0, "1p 1p 1p 1p")))

    turn = play.shape(AfterDraw)
    assert (turn.seat, turn.source, notation((turn.drawn,))) == (0, Source.KONG, "2s")
    assert ConcealedKong(play.held(0, "9m 9m 9m 9m")) in play.legal(0)

    play.act(0, ConcealedKong(play.held(0, "9m 9m 9m 9m")))

    assert notation((play.shape(AfterDraw).drawn,)) == "8s"
    assert [meld.kind for meld in play.table.melds[0]] == [MeldKind.CONCEALED_KONG] * 2
    assert isinstance(play.act(0, Discard(play.held(0, "8s")[0])), list)


def test_a_concealed_kong_needs_four_held_tiles_of_one_kind() -> None:
    """Three of them and another tile are none, nor are tiles of other hands."""
    play = DealPlay(rigged(FOUR_OF_A_KIND, draws="E"))

    assert play.act(0, ConcealedKong(play.held(0, "9m 9m 9m E"))) is Refusal.NOT_A_SET
    assert (
        play.act(0, ConcealedKong((*play.held(0, "9m 9m 9m"), play.held(1, "1m")[0]))) is Refusal.NO_SUCH_TILE
    )


def test_a_concealed_kong_lies_face_down_for_the_others_until_the_deal_ends() -> None:
    """Its owner sees it; the others see four tiles face down; at the end all see it."""
    play = DealPlay(rigged(FOUR_OF_A_KIND, draws="E"), FOUR_AI)
    kong = play.held(0, "1p 1p 1p 1p")
    play.act(0, ConcealedKong(kong))

    assert [play.view(seat).seats[0].melds[0].tiles for seat in (0, 1, None)] == [kong, (), ()]

    while play.view(1).phase is not Phase.OVER:
        play.wait(20_000)
    assert play.view(1).seats[0].melds[0].tiles == kong


def added_kong() -> DealPlay:
    """Seat 1 has a melded pung of 4m and has drawn the fourth; seats 2 and 3 wait for it."""
    play = DealPlay(rigged(ROBBABLE, draws="9m E S W 4m", ends="2s"))
    play.act(0, Discard(play.held(0, "4m")[0]))
    play.act(1, Pung(play.held(1, "4m 4m")))
    play.act(2, Pass())
    play.act(3, Pass())
    play.wait(1_000)
    play.act(play.shape(AfterClaim).seat, Discard(play.held(1, "E")[0]))
    for seat in (2, 3, 0):
        play.wait(1_000)
        turn = play.shape(AfterDraw)
        assert turn.seat == seat
        play.act(seat, Discard(turn.drawn))
    play.wait(1_000)
    return play


def test_an_added_kong_on_an_own_melded_pung_takes_a_replacement_tile() -> None:
    """Where nobody robs it; the pung is a kong then."""
    play = added_kong()
    play.act(1, AddedKong(play.held(1, "4m")[0]))
    assert [meld.kind for meld in play.table.melds[1]] == [MeldKind.PUNG]
    play.act(2, Pass())
    play.act(3, Pass())
    play.wait(1_000)

    turn = play.shape(AfterDraw)
    assert (turn.seat, turn.source, notation((turn.drawn,))) == (1, Source.KONG, "2s")
    assert [(meld.kind, len(meld.tiles)) for meld in play.table.melds[1]] == [(MeldKind.ADDED_KONG, 4)]


def test_a_tile_is_added_to_an_own_melded_pung_only() -> None:
    """Not to one of the hand, nor to nothing."""
    play = added_kong()

    assert play.act(1, AddedKong(play.held(1, "9p")[0])) is Refusal.NOT_A_SET
    assert play.act(1, AddedKong(play.held(2, "1s")[0])) is Refusal.NO_SUCH_TILE
    assert AddedKong(play.held(1, "4m")[0]) in play.legal(1)


def test_an_added_kong_can_be_robbed_for_a_win() -> None:
    """The tile goes to the robber, the pung stays a pung, and the kong's declarer pays as for a discard."""
    play = added_kong()
    tile = play.held(1, "4m")[0]
    play.act(1, AddedKong(tile))
    assert Win() in play.legal(2)
    play.act(2, Win(), play.now_ms + 1_000)

    assert (play.won.winner, play.won.payer, play.won.kind) == (2, 1, WinKind.ROBBED_KONG)
    total = play.won.score.total
    assert play.won.payments == (-8, -8 - total, 24 + total, -8)
    assert tile in play.table.hands[2]
    assert [meld.kind for meld in play.table.melds[1]] == [MeldKind.PUNG]
    assert "Robbing the Kong" in fans(play)
    assert "Last Tile" not in fans(play)


def test_of_several_robbers_the_nearest_after_the_declarer_wins() -> None:
    """Not the one who was quicker."""
    play = added_kong()
    play.act(1, AddedKong(play.held(1, "4m")[0]))
    play.act(3, Win())
    play.shape(RobbingWindow)
    play.act(2, Win())
    play.wait(1_000)

    assert play.won.winner == 2


def test_a_kong_is_robbed_for_a_win_only() -> None:
    """Nobody claims its tile for a set."""
    play = added_kong()
    play.act(1, AddedKong(play.held(1, "4m")[0]))

    assert {type(action) for seat in range(4) for action in play.legal(seat)} == {Win, Pass}
    assert play.act(0, Pass()) is Refusal.NOTHING_TO_CLAIM
    assert play.act(0, Pung(play.table.hands[0][:2])) is Refusal.NOTHING_TO_CLAIM


def test_a_concealed_kong_cannot_be_robbed() -> None:
    """The replacement comes at once: nobody is asked."""
    play = DealPlay(rigged(hands(s0="4m 4m 4m 2p 5p 8p 3s 6s 9s E S W N", s1=STRAIGHT, s2=NO_4M), draws="4m"))
    decision = play.table.decision
    play.act(0, ConcealedKong(play.held(0, "4m 4m 4m 4m")))

    assert play.shape(AfterDraw).seat == 0
    assert play.act(1, Win(), decision=decision) is Refusal.STALE_DECISION
    assert play.act(1, Win()) is Refusal.NOT_YOUR_TURN


def test_a_kong_with_no_replacement_tile_left_is_refused() -> None:
    """Concealed and added ones in the turn; big ones after the last wall tile."""
    play = DealPlay(shortened(rigged(FOUR_OF_A_KIND, draws="9m"), 0))
    added = added_kong()
    at_end = DealPlay(shortened(added.wall, 4))
    at_end.take(added.events[len(at_end.events) :])

    assert play.act(0, ConcealedKong(play.held(0, "1p 1p 1p 1p"))) is Refusal.NO_REPLACEMENT
    assert ConcealedKong not in {type(action) for action in play.legal(0)}
    assert at_end.act(1, AddedKong(at_end.held(1, "4m")[0]), added.now_ms) is Refusal.NO_REPLACEMENT
    assert AddedKong not in {type(action) for action in at_end.legal(1)}
    assert at_end.act(1, Kong(at_end.table.hands[1][:3])) is Refusal.NOTHING_TO_CLAIM


def test_at_tables_of_ai_only_a_kong_that_nobody_can_rob_is_replaced_at_once() -> None:
    """The window is over before it is seen."""
    dealt = hands(s1=ROBBABLE[1], s2=NO_4M)
    play = DealPlay(rigged(dealt, draws="9m 9m 1m F 4m", ends="2s"), FOUR_AI)
    play.act(0, Discard(play.held(0, "4m")[0]))
    play.act(1, Pung(play.held(1, "4m 4m")))
    play.act(1, Discard(play.held(1, "E")[0]))
    for seat in (2, 3, 0):
        play.act(seat, Discard(play.shape(AfterDraw).drawn))
    play.act(1, AddedKong(play.held(1, "4m")[0]))

    assert play.shape(AfterDraw).source is Source.KONG
