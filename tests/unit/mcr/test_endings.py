"""How a deal ends: a win, a drawn wall, a flower as the last tile; what is paid; which flags count."""

from __future__ import annotations

from libs.rules.mcr.fans_table import FANS
from libs.rules.mcr.tiles import tile
from services.mcr.domain.deal.actions import ConcealedKong, Discard, Pass, Pung, Win
from services.mcr.domain.deal.decide import abort
from services.mcr.domain.deal.events import DealEnded, FlowerReplaced, WallRevealed
from services.mcr.domain.deal.refusal import Refusal, UnderEight
from services.mcr.domain.deal.scoring import face_up
from services.mcr.domain.deal.state import AfterDraw, DiscardWindow, Ended
from services.mcr.domain.deal.terms import Aborted, Drawn, DrawReason, Source, WinKind, payments_of
from tests.support.mcr_deals import FOUR_AI, DealPlay, after, rigged, shortened
from tests.unit.mcr.hands import CHEAP, STRAIGHT, hands

NO_1M = "9m 4m 7m 2p 5p 9p 2s 6s 9s C F P E"
NO_F = "2m 5m 8m 3p 6p 2s 5s 8s P S W N N"
KONG_OF_F = hands(s0="1s 2s 3s 4s 5s 6s 7s 8s 9s F F F 3m", s1="1m 4m 7m 2p 5p 9p 2s 6s 9s C C P E", s3=NO_F)
"""Seat 0 waits for 3m once it has made a kong."""


def fans(play: DealPlay) -> set[str]:
    """The titles of what the win counted."""
    return {FANS[fan.number - 1].title for fan in play.won.score.fans}


def test_the_deal_ends_with_the_first_valid_win() -> None:
    """Nobody can do anything any more, and the wall is laid open."""
    play = DealPlay(rigged(hands(s0=STRAIGHT), draws="4m"))
    play.act(0, Win())

    assert (play.won.winner, play.won.payer, play.won.kind) == (0, None, WinKind.SELF_DRAWN)
    assert [type(event) for event in play.events[-2:]] == [DealEnded, WallRevealed]
    assert [play.legal(seat) for seat in range(4)] == [()] * 4
    assert play.act(1, Discard(play.table.hands[1][0])) is Refusal.MATCH_ENDED
    assert play.leave(1) is Refusal.MATCH_ENDED
    assert play.come_back(1) is Refusal.MATCH_ENDED
    assert play.wait(100_000) == []


def test_self_drawn_each_opponent_pays_8_and_the_total_flowers_included() -> None:
    """Flowers count beside the points of the hand."""
    play = DealPlay(rigged(hands(s0=STRAIGHT), draws="Fl2", ends="4m"))
    play.act(0, Win())

    score = play.won.score
    assert (score.flowers, score.total) == (1, score.points + 1)
    assert play.won.payments == (3 * (8 + score.total), *(-8 - score.total,) * 3)


def test_on_a_discard_the_discarder_pays_8_and_the_total_the_others_8() -> None:
    """The win takes the discard: it is in the winner's hand, and not among the discards."""
    play = DealPlay(rigged(hands(s2=STRAIGHT), draws="9m"))
    tile = play.held(0, "4m")[0]
    play.act(0, Discard(tile))
    play.act(2, Win(), 1_000)

    total = play.won.score.total
    assert (play.won.winner, play.won.payer, play.won.kind) == (2, 0, WinKind.DISCARD)
    assert play.won.payments == (-8 - total, -8, 24 + total, -8)
    assert tile in play.table.hands[2]
    assert play.table.discards[0] == ()


def under_eight() -> DealPlay:
    """Seat 1's hand is complete with the discarded 4m, for less than 8 points; it may make a chow."""
    play = DealPlay(rigged(hands(s1=CHEAP), draws="9m"))
    play.act(0, Discard(play.held(0, "4m")[0]))
    return play


def test_a_declared_win_below_8_is_refused_with_the_score_and_the_turn_goes_on() -> None:
    """No fact, no penalty: the seat may still claim otherwise, or pass in its time."""
    play = under_eight()
    before = list(play.events)
    answer = play.act(1, Win(), 500)

    assert isinstance(answer, UnderEight)
    assert 0 < answer.score.points < 8
    assert "Concealed Hand" in {FANS[fan.number - 1].title for fan in answer.score.fans}
    assert sum(fan.points for fan in answer.score.fans) == answer.score.points
    assert play.events == before
    assert Win() not in play.legal(1)
    play.shape(DiscardWindow)


def test_after_a_win_below_8_on_the_own_draw_the_seat_discards() -> None:
    """Its turn goes on."""
    play = DealPlay(rigged(hands(s0=CHEAP), draws="4m"))

    assert isinstance(play.act(0, Win()), UnderEight)
    assert isinstance(play.act(0, Discard(play.held(0, "4m")[0])), list)


def test_after_a_win_below_8_the_seat_may_claim_otherwise() -> None:
    """In the same window."""
    cheap = "1p 2p 3p 5p 6p 7p 4s 5s 6s 3m 3m E E"
    play = DealPlay(rigged(hands(s1=cheap), draws="9m"))
    play.act(0, Discard(play.held(0, "E")[0]))
    assert isinstance(play.act(1, Win()), UnderEight)

    assert isinstance(play.act(1, Pung(play.held(1, "E E"))), list)


def test_flowers_do_not_help_to_the_8_points() -> None:
    """Eight of them and a cheap hand are not enough."""
    play = DealPlay(rigged(hands(s0=CHEAP), draws="Fl1", ends="Fl2 Fl3 Fl4 Se1 Se2 Se3 Se4 4m"))
    answer = play.act(0, Win())

    assert isinstance(answer, UnderEight)
    assert answer.score.flowers == 8
    assert answer.score.total > 8


def test_a_hand_that_is_not_complete_is_no_win() -> None:
    """Refused for another reason than too few points."""
    assert DealPlay(rigged(draws="9m")).act(0, Win()) is Refusal.NOT_WINNING


def test_the_discard_after_the_last_wall_tile_may_be_claimed_for_a_win() -> None:
    """It counts as the last discard."""
    play = DealPlay(shortened(rigged(hands(s2=STRAIGHT), draws="9m"), 0))
    play.act(0, Discard(play.held(0, "4m")[0]))
    assert {type(action) for action in play.legal(2)} == {Win, Pass}
    play.act(2, Win(), 1_000)

    assert "Last Tile Claim" in fans(play)


def test_unclaimed_the_deal_is_drawn() -> None:
    """No points move; the second of the window passes like any other."""
    play = DealPlay(shortened(rigged(draws="9m"), 0))
    play.act(0, Discard(play.held(0, "9m")[0]))
    play.shape(DiscardWindow)
    play.wait(1_000)

    outcome = play.shape(Ended).outcome
    assert outcome == Drawn(DrawReason.WALL)
    assert payments_of(outcome) == (0, 0, 0, 0)


def test_a_flower_drawn_as_the_last_tile_has_no_replacement_drawn() -> None:
    """The flower is shown, and the deal is over at once."""
    play = DealPlay(shortened(rigged(draws="9m Se3"), 1), FOUR_AI)
    play.act(0, Discard(play.held(0, "9m")[0]))

    shown = [event for event in play.events if isinstance(event, FlowerReplaced)]
    assert [event.tile for event in shown] == [None]
    assert play.shape(Ended).outcome == Drawn(DrawReason.FLOWER)
    assert len(play.table.flowers[1]) == 1


def test_the_last_wall_tile_self_drawn_counts_as_last_tile_draw() -> None:
    """Of the tile before it does not."""
    last, before = (shortened(rigged(hands(s1=STRAIGHT), draws="9m 4m"), left) for left in (1, 2))
    for wall, counts in ((last, True), (before, False)):
        play = DealPlay(wall, FOUR_AI)
        play.act(0, Discard(play.held(0, "9m")[0]))
        play.act(1, Win())

        assert ("Last Tile Draw" in fans(play)) is counts
        assert ("Self-Drawn" in fans(play) or "Fully Concealed Hand" in fans(play)) or counts


def test_a_win_on_the_replacement_for_a_kong_counts_as_such() -> None:
    """Out with Replacement Tile."""
    play = DealPlay(rigged(KONG_OF_F, draws="F", ends="3m"))
    play.act(0, ConcealedKong(play.held(0, "F F F F")))
    assert play.shape(AfterDraw).source is Source.KONG
    play.act(0, Win())

    assert "Out with Replacement Tile" in fans(play)


def test_a_win_on_the_replacement_for_a_flower_is_self_drawn_only() -> None:
    """Also where the flower itself came for a kong."""
    play = DealPlay(rigged(KONG_OF_F, draws="F", ends="Se1 3m"))
    play.act(0, ConcealedKong(play.held(0, "F F F F")))
    assert play.shape(AfterDraw).source is Source.FLOWER
    play.act(0, Win())

    assert "Out with Replacement Tile" not in fans(play)
    assert play.won.score.flowers == 1


def last_of_its_kind() -> DealPlay:
    """Seat 2 waits for 1m and 4m; seat 1 can make a pung of 4m, and seat 0 has both others."""
    dealt = hands(s0="4m 4m E E S S N N 2p 2p 8s 8s 9m", s1="4m 4m 1s 1s 4s 4s 7s 9p 9p P P E S", s2=STRAIGHT)
    return DealPlay(rigged(dealt, draws="9m 7p 7p 7p"))


def test_the_last_of_its_kind_counts_where_the_other_three_lie_face_up() -> None:
    """A melded pung of the same kind, and the fourth tile discarded."""
    play = last_of_its_kind()
    play.act(0, Discard(play.held(0, "4m")[0]))
    play.act(2, Pass())
    play.act(1, Pung(play.held(1, "4m 4m")))
    play.wait(1_000)
    play.act(1, Discard(play.held(1, "9p")[0]))
    play.wait(1_000)
    for _ in range(2):
        turn = play.shape(AfterDraw)
        play.act(turn.seat, Discard(turn.drawn))
        play.wait(1_000)
    play.act(0, Discard(play.held(0, "4m")[0]))
    play.act(2, Win(), play.now_ms + 1_000)

    assert "Last Tile" in fans(play)


def test_two_of_the_others_face_up_are_not_enough() -> None:
    """The third is in a hand."""
    dealt = hands(s0="4m 4m E E S S N N 2p 2p 8s 8s 9m", s2=STRAIGHT)
    play = DealPlay(rigged(dealt, draws="9m 7p 7p 7p"))
    play.act(0, Discard(play.held(0, "4m")[0]))
    play.act(2, Pass(), 500)
    play.wait(8_000)
    for _ in range(3):
        turn = play.shape(AfterDraw)
        play.act(turn.seat, Discard(turn.drawn))
        play.wait(1_000)
    play.act(0, Discard(play.held(0, "4m")[0]))
    play.act(2, Win(), play.now_ms + 1_000)

    assert "Last Tile" not in fans(play)


def test_a_concealed_kong_is_not_visible_for_the_last_of_its_kind() -> None:
    """None of its tiles counts as face up."""
    dealt = hands(s0="1m 1m 1m 5m 8m 2p 5p 8p 2s 6s 9s N W", s1=NO_1M, s2=STRAIGHT)
    play = DealPlay(rigged(dealt, draws="1m"))
    play.act(0, ConcealedKong(play.held(0, "1m 1m 1m 1m")))

    assert face_up(play.table, tile("1m")) == 0


def test_a_deal_whose_rules_fail_ends_without_points() -> None:
    """A fault of the program ends this deal with a fact; what can be repeated changes nothing."""
    play = DealPlay(rigged(draws="9m"))
    play.take(abort(play.state, "LookupError", after(5_000)))

    outcome = play.shape(Ended).outcome
    assert isinstance(outcome, Aborted)
    assert payments_of(outcome) == (0, 0, 0, 0)
    assert abort(play.state, "LookupError", after(6_000)) == []
