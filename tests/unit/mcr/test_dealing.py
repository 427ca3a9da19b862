"""Deal: who gets what, flowers, winds, the secret wall."""

from __future__ import annotations

from datetime import timedelta

import pytest

from libs.rules.mcr.commitment import wall_commitment
from libs.rules.mcr.tiles import NOTATION
from libs.rules.mcr.wall import SEATS, first_dealer_of, wall_of
from services.mcr.domain.deal.actions import Discard
from services.mcr.domain.deal.events import FlowerReplaced, TileDrawn, WallRevealed
from services.mcr.domain.deal.refusal import Refusal
from services.mcr.domain.deal.state import AfterDraw, Dealing
from services.mcr.domain.deal.terms import Source
from services.mcr.domain.deal.view import Phase
from services.mcr.domain.deal.walls import lay_wall
from tests.support.mcr_deals import FOUR_AI, DealPlay, named, notation, rigged
from tests.unit.mcr.hands import hands

SEED, NONCE = bytes(range(32)), bytes(range(32, 64))


def shown(play: DealPlay) -> list[tuple[int, str, str]]:
    """The flowers that were shown: by whom, which, and what came for them."""
    return [
        (event.seat, named(event.flower), "" if event.tile is None else named(event.tile))
        for event in play.events
        if isinstance(event, FlowerReplaced)
    ]


def test_dealer_14_tiles_the_others_13() -> None:
    """And the dealer's turn begins, as after a draw."""
    play = DealPlay(rigged(dealer=2))

    assert [len(hand) for hand in play.table.hands] == [13, 13, 14, 13]
    assert isinstance(play.state, AfterDraw)
    assert play.state.seat == 2
    assert play.table.wall_left == 144 - 53


def test_flowers_are_shown_at_once_and_replaced_from_the_end_dealer_first_until_nobody_holds_one() -> None:
    """Round by round: who gets a flower for a flower shows it when all others have shown theirs."""
    dealt = hands(
        s1="Fl1 Fl2 4m 7m 2p 5p 8p 3s 6s 9s E S W",
        s2="Se1 1m 4m 7m 2p 5p 8p 3s 6s 9s C F P",
        s0="1m 4m 7m 2p 5p 8p 3s 6s 9s E S W N",
    )
    play = DealPlay(rigged(dealt, draws="2m", ends="1m Se4 9p N 9m", dealer=1))

    assert shown(play) == [
        (1, "Fl1", "1m"),
        (1, "Fl2", "Se4"),
        (2, "Se1", "9p"),
        (1, "Se4", "N"),
    ]
    assert notation(play.table.flowers[1]) == "Fl1 Fl2 Se4"
    assert play.table.wall_left == 144 - 53 - 4
    assert [len(hand) for hand in play.table.hands] == [13, 14, 13, 13]


def test_the_dealers_last_tile_is_what_replaced_it_where_it_was_a_flower() -> None:
    """It is the drawn tile of the first turn."""
    play = DealPlay(rigged(draws="Fl3", ends="9m"))

    assert isinstance(play.state, AfterDraw)
    assert named(play.state.drawn) == "9m"


def test_so_are_flowers_drawn_later() -> None:
    """Shown at once, replaced from the end, again and again; then the turn goes on."""
    play = DealPlay(rigged(draws="9m Fl3", ends="Se2 1s"), FOUR_AI)

    play.act(0, Discard(play.held(0, "9m")[0]))

    assert shown(play) == [(1, "Fl3", "Se2"), (1, "Se2", "1s")]
    assert isinstance(play.state, AfterDraw)
    assert (play.state.seat, named(play.state.drawn), play.state.source) == (1, "1s", Source.FLOWER)
    assert [e.source for e in play.events if isinstance(e, TileDrawn)] == [Source.WALL]


def test_round_wind_east_seat_winds_from_the_dealer() -> None:
    """East, South, West, North in turn order."""
    play = DealPlay(rigged(dealer=3))

    assert NOTATION[play.table.terms.prevalent_wind] == "E"
    assert [NOTATION[play.table.seat_wind(seat)] for seat in (3, 0, 1, 2)] == ["E", "S", "W", "N"]


@pytest.mark.parametrize(
    ("number", "wind"), [(1, "E"), (4, "E"), (5, "S"), (8, "S"), (9, "W"), (13, "N"), (16, "N")]
)
def test_round_winds_in_sessions_change_every_four_deals(number: int, wind: str) -> None:
    """East for deals 1-4, South 5-8, West 9-12, North 13-16."""
    assert NOTATION[DealPlay(rigged(), number=number).table.terms.prevalent_wind] == wind


def test_first_dealer_from_the_deals_seed_and_the_dealer_moves_on_every_deal() -> None:
    """Later deals have seeds of their own, and follow the first dealer."""
    first = lay_wall(SEED, NONCE)
    later = [lay_wall(NONCE, SEED, number, first.dealer) for number in range(2, 6)]

    assert first.dealer == first_dealer_of(SEED)
    assert [wall.dealer for wall in later] == [(first.dealer + step) % SEATS for step in (1, 2, 3, 4)]


def test_the_wall_is_committed_to_before_and_laid_open_after() -> None:
    """The view shows the hash; the last fact holds seed and nonce, which give the hash and the wall."""
    play = DealPlay(lay_wall(SEED, NONCE), FOUR_AI)
    assert play.view(0).commitment == wall_commitment(NONCE, SEED)

    while play.view(None).phase is not Phase.OVER:
        play.wait(20_000)

    revealed = play.events[-1]
    assert isinstance(revealed, WallRevealed)
    assert wall_commitment(revealed.nonce, revealed.seed) == play.table.wall.commitment
    assert wall_of(revealed.seed) == play.table.wall.tiles


def test_a_pause_keeps_the_first_turn_away() -> None:
    """Until it is over nobody can act, and flowers lie open already."""
    play = DealPlay(rigged(draws="9m"), pause=timedelta(seconds=10))
    assert isinstance(play.state, Dealing)
    assert play.legal(0) == ()

    assert play.act(0, Discard(play.held(0, "9m")[0]), 9_999) is Refusal.NOT_STARTED

    assert isinstance(play.act(0, Discard(play.held(0, "9m")[0]), 10_000), list)
