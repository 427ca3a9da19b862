"""What a seat sees of a deal: hand, melds, discards, clocks, open decisions; and what it does not see."""

from __future__ import annotations

from services.mcr.domain.deal.actions import Discard, Pass, Pung
from services.mcr.domain.deal.terms import Source
from services.mcr.domain.deal.view import Phase
from tests.support.mcr_deals import DealPlay, after, notation, rigged
from tests.unit.mcr.test_claims import chow_and_pung


def test_a_seat_sees_its_own_hand_and_how_many_tiles_the_others_hold() -> None:
    """A bystander sees no hand at all."""
    play = DealPlay(rigged(draws="9m"))
    view, bystander = play.view(1), play.view(None)

    assert [seat.hand for seat in view.seats] == [None, play.table.hands[1], None, None]
    assert [seat.concealed_tiles for seat in view.seats] == [14, 13, 13, 13]
    assert [seat.hand for seat in bystander.seats] == [None] * 4


def test_only_the_seat_on_turn_sees_what_it_drew() -> None:
    """The others see that it drew, and where the tile came from."""
    play = DealPlay(rigged(draws="9m"))

    assert notation(filter(None, (play.view(0).drawn,))) == "9m"
    assert [play.view(seat).drawn for seat in (1, 2, 3, None)] == [None] * 4
    assert {(play.view(seat).turn, play.view(seat).source) for seat in (0, 1, None)} == {(0, Source.WALL)}


def test_an_open_decision_lists_what_can_be_done_and_until_when() -> None:
    """For whoever can act; nothing for the others."""
    play = DealPlay(rigged(draws="9m"))
    decision = play.view(0).open
    assert decision is not None

    assert decision.actions == play.legal(0)
    assert decision.deadline == after(20_000)
    assert play.view(1).open is None
    assert play.view(1).deadline == after(20_000)


def test_in_a_window_nobody_learns_who_could_claim_and_who_has_answered() -> None:
    """The deadline is the same for all; one's own answer is shown to oneself."""
    play = chow_and_pung()
    play.act(0, Discard(play.held(0, "5m")[0]))
    before = {seat: play.view(seat) for seat in (0, 1, 2, None)}
    play.act(3, Pung(play.held(3, "5m 5m")), 10)

    for seat, view in before.items():
        assert view.phase is Phase.CLAIMS
        assert view.deadline == after(8_000)
        assert play.view(seat) == view
    assert play.view(3).answer == Pung(play.held(3, "5m 5m"))
    assert play.view(3).open is None
    play.act(1, Pass(), 20)
    assert play.view(0) == before[0]


def test_a_view_is_enough_to_go_on_after_coming_back() -> None:
    """Seat, hand, melds, discards, clocks, open decisions and deadlines, of the deal as it is."""
    play = chow_and_pung()
    play.act(0, Discard(play.held(0, "5m")[0]))
    play.act(1, Pass())
    play.act(3, Pung(play.held(3, "5m 5m")), 1_000)
    play.leave(3)
    play.come_back(3)
    view = play.view(3)

    assert (view.seat, view.phase, view.turn) == (3, Phase.DISCARD, 3)
    assert view.seats[3].hand == play.table.hands[3]
    assert notation(view.seats[3].melds[0].tiles) == "5m 5m 5m"
    assert view.seats[0].discards == ()
    assert view.open is not None
    assert view.open.deadline == view.deadline == after(21_000)
    assert view.decision == play.table.decision
    assert view.wall_left == 144 - 53


def test_at_the_end_all_lies_open() -> None:
    """Hands and outcome, for whoever looks."""
    play = DealPlay(rigged(draws="9m"))
    play.wait_until(10_000_000)

    for viewer in (0, None):
        view = play.view(viewer)
        assert view.phase is Phase.OVER
        assert [seat.hand for seat in view.seats] == list(play.table.hands)
        assert view.outcome is not None
        assert view.open is None
        assert view.deadline is None
