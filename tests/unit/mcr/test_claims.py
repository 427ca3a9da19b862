"""Claims on a discard: who may claim what, whose claim goes first, how long answers are collected."""

from __future__ import annotations

import pytest

from services.mcr.domain.deal.actions import Action, Chow, Discard, Kong, Pass, Pung, Win
from services.mcr.domain.deal.events import ClaimAnswered, TileClaimed
from services.mcr.domain.deal.refusal import Refusal
from services.mcr.domain.deal.state import AfterClaim, AfterDraw, DiscardWindow, Ended
from services.mcr.domain.deal.terms import Meld, MeldKind
from tests.support.mcr_deals import FOUR_AI, DealPlay, notation, rigged, shortened
from tests.unit.mcr.hands import OTHER_STRAIGHT, STRAIGHT, hands

HOLD_MS, CLAIM_MS = 1_000, 8_000


def chow_and_pung(ends: str = "") -> DealPlay:
    """Seat 0 may discard 5m: seat 1 may make a chow of it, seat 3 a pung or a kong."""
    dealt = hands(
        s0="5m E E S S W W N N 2p 2p 8s 8s",
        s1="3m 4m 1p 1p 4p 4p 7p 7p 2s 2s 5s C C",
        s3="5m 5m 5m 1s 1s 4s 4s 7s 7s 9p 9p F P",
    )
    return DealPlay(rigged(dealt, draws="9m", ends=ends))


def discard(play: DealPlay, face: str, seat: int = 0) -> None:
    """A seat discards that face."""
    decided = play.act(seat, Discard(play.held(seat, face)[0]))
    assert isinstance(decided, list)


def kinds(play: DealPlay, seat: int) -> set[type[Action]]:
    """What a seat can do, by kind."""
    return {type(action) for action in play.legal(seat)}


def test_pung_and_kong_by_anybody_chow_by_the_next_player_only() -> None:
    """Each legal list has what the seat could claim, and a pass."""
    play = chow_and_pung()
    discard(play, "5m")

    assert kinds(play, 1) == {Chow, Pass}
    assert kinds(play, 2) == set()
    assert kinds(play, 3) == {Pung, Kong, Pass}
    assert kinds(play, 0) == set()


def test_a_chow_by_another_than_the_next_player_is_refused() -> None:
    """Even with the right tiles."""
    dealt = hands(s2="3m 4m 1p 1p 4p 4p 7p 7p 2s 2s 5s C C", s0="5m E E S S W W N N 2p 2p 8s 8s")
    play = DealPlay(rigged(dealt, draws="9m"))
    discard(play, "5m")

    assert play.act(2, Chow(play.held(2, "3m 4m"))) is Refusal.NOT_NEXT


def test_claims_name_tiles_that_are_held_and_make_the_set() -> None:
    """Which copies is up to the player; the answer is the same in whatever order they are named."""
    play = chow_and_pung()
    discard(play, "5m")
    own = play.held(3, "5m 5m 5m")
    offered = play.table.discards[0][0]

    assert play.act(1, Chow(play.held(3, "5m 5m"))) is Refusal.NO_SUCH_TILE
    assert play.act(1, Chow(play.held(1, "1p 4p"))) is Refusal.NOT_A_SET
    assert play.act(3, Pung(play.held(3, "1s 1s"))) is Refusal.NOT_A_SET
    assert play.act(3, Win()) is Refusal.NOT_WINNING
    assert isinstance(play.act(3, Pung((own[2], own[0]))), list)
    play.act(1, Pass())
    play.wait(HOLD_MS)
    assert play.table.melds[3][0].tiles == tuple(sorted((own[0], own[2], offered)))


def test_an_offered_tile_is_passed_by_those_who_could_claim_it_and_by_nobody_else() -> None:
    """Whoever can claim nothing has nothing to answer; a discarder least of all."""
    play = chow_and_pung()
    discard(play, "5m")

    assert play.act(2, Pass()) is Refusal.NOTHING_TO_CLAIM
    assert play.act(0, Pass()) is Refusal.NOT_YOUR_TURN
    assert play.act(1, Discard(play.held(1, "3m")[0])) is Refusal.NOT_YOUR_TURN
    assert isinstance(play.act(1, Pass()), list)


def test_an_answer_is_final() -> None:
    """A second one is refused."""
    play = chow_and_pung()
    discard(play, "5m")
    play.act(1, Pass())

    assert play.act(1, Chow(play.held(1, "3m 4m"))) is Refusal.ALREADY_ANSWERED


def test_pung_or_kong_over_chow() -> None:
    """Whoever answered first."""
    play = chow_and_pung()
    discard(play, "5m")
    play.act(1, Chow(play.held(1, "3m 4m")), 100)
    play.act(3, Pung(play.held(3, "5m 5m")), 2_000)

    assert play.shape(AfterClaim).seat == 3
    assert [meld.kind for meld in play.table.melds[3]] == [MeldKind.PUNG]
    assert play.table.melds[1] == ()


def test_a_chow_is_made_where_nobody_claims_a_pung() -> None:
    """The discard lies in the meld now, and not among the discards; the meld says whose it was."""
    play = chow_and_pung()
    discard(play, "5m")
    play.act(1, Chow(play.held(1, "3m 4m")), 100)
    play.shape(DiscardWindow)

    play.act(3, Pass(), 3_000)

    play.shape(AfterClaim)
    meld = play.table.melds[1][0]
    assert (meld.kind, meld.from_seat, notation(meld.tiles)) == (MeldKind.CHOW, 0, "3m 4m 5m")
    assert play.table.discards[0] == ()


def win_pung_and_win() -> DealPlay:
    """Seat 0 may discard 4m: seats 1 and 2 may win with it, seat 3 may make a pung of it."""
    dealt = hands(
        s0="4m E E E S S W W N N 2p 8s 8s",
        s1=OTHER_STRAIGHT,
        s2=STRAIGHT,
        s3="4m 4m 1s 1s 4s 4s 7s 7s 9p 9p P P P",
    )
    return DealPlay(rigged(dealt, draws="9m"))


def test_win_over_pung() -> None:
    """Even the later win of a seat that is further away."""
    play = win_pung_and_win()
    discard(play, "4m")
    play.act(3, Pung(play.held(3, "4m 4m")), 100)
    play.act(1, Pass(), 200)
    play.act(2, Win(), 2_000)

    assert play.won.winner == 2


def test_several_wins_only_the_first_in_turn_order_after_the_discarder_wins() -> None:
    """Not the one who was quicker."""
    play = win_pung_and_win()
    discard(play, "4m")
    play.act(2, Win(), 100)
    play.act(1, Win(), 200)
    play.wait_until(HOLD_MS)

    assert play.won.winner == 1


def test_answers_are_collected_until_the_outcome_can_no_longer_change() -> None:
    """The nearest win is waited for by nobody; a further one waits for the nearer one's answer."""
    play = win_pung_and_win()
    discard(play, "4m")
    play.act(2, Win(), 2_000)
    play.shape(DiscardWindow)  # seat 1 may still win

    play.act(1, Pass(), 3_000)

    play.shape(Ended)  # the pung of seat 3 cannot change it


def test_at_least_one_second_so_that_timing_tells_nothing() -> None:
    """Where nobody can claim, and where all have answered at once: the same second."""
    nobody, answered = DealPlay(rigged(draws="9m")), chow_and_pung()
    discard(nobody, "9m")
    discard(answered, "5m")
    answered.act(1, Pass(), 10)
    answered.act(3, Pass(), 20)

    for play in (nobody, answered):
        assert play.wait_until(HOLD_MS - 1) == []
        play.shape(DiscardWindow)
        play.wait_until(HOLD_MS)
        assert play.shape(AfterDraw).seat == 1
        assert play.table.since == play.table.last_at


def test_no_second_at_tables_of_ai_only() -> None:
    """The next draw comes with the discard that nobody can claim, a claim with the last answer."""
    play = DealPlay(rigged(draws="9m"), FOUR_AI)
    discard(play, "9m")
    play.shape(AfterDraw)

    claimed = chow_and_pung()
    of_ai = DealPlay(claimed.wall, FOUR_AI)
    discard(of_ai, "5m")
    of_ai.act(3, Pung(of_ai.held(3, "5m 5m")))
    of_ai.shape(AfterClaim)


def test_a_seat_that_does_not_answer_in_8_seconds_passes() -> None:
    """The claims of the others stand; the fact occurs at the deadline."""
    play = chow_and_pung()
    discard(play, "5m")
    play.act(1, Chow(play.held(1, "3m 4m")), 100)
    play.wait_until(CLAIM_MS - 1)
    play.shape(DiscardWindow)

    passed, claimed = play.wait_until(CLAIM_MS + 5_000)

    assert isinstance(passed, ClaimAnswered)
    assert isinstance(passed.answer, Pass)
    assert isinstance(claimed, TileClaimed)
    assert claimed.occurred_at == passed.occurred_at == play.table.last_at
    assert (play.table.last_at - play.events[0].occurred_at).total_seconds() == CLAIM_MS / 1_000


@pytest.mark.parametrize(("kind", "reason"), [(Pung, Refusal.LAST_TILE), (Kong, Refusal.NO_REPLACEMENT)])
def test_after_the_last_wall_tile_win_only(kind: type[Pung | Kong], reason: Refusal) -> None:
    """No chow, no pung, no kong."""
    play = DealPlay(shortened(chow_and_pung().wall, 0))
    discard(play, "5m")
    own = play.held(3, "5m 5m" if kind is Pung else "5m 5m 5m")

    assert play.legal(1) == play.legal(3) == ()
    assert play.act(3, kind(own)) is reason
    assert play.act(1, Chow(play.held(1, "3m 4m"))) is Refusal.LAST_TILE


def test_a_big_melded_kong_from_a_discard_takes_a_replacement_from_the_end_of_the_wall() -> None:
    """Then the turn goes on as after any draw."""
    play = chow_and_pung(ends="2m")
    discard(play, "5m")
    play.act(3, Kong(play.held(3, "5m 5m 5m")), 100)
    play.act(1, Pass(), 1_500)

    turn = play.shape(AfterDraw)
    assert (turn.seat, notation((turn.drawn,))) == (3, "2m")
    meld: Meld = play.table.melds[3][0]
    assert (meld.kind, len(meld.tiles), meld.from_seat) == (MeldKind.BIG_KONG, 4, 0)
    assert Discard in kinds(play, 3)
