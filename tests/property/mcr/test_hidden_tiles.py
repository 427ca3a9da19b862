"""What a seat sees does not depend on what is hidden from it."""

from __future__ import annotations

from random import Random

from libs.rules.mcr.wall import SEATS
from services.mcr.domain.deal.scorer import rule_book
from services.mcr.domain.deal.scoring import score_of_draw, score_of_offered
from services.mcr.domain.deal.state import AfterDraw, DiscardWindow, Ended, NotDealt, RobbingWindow, State
from services.mcr.domain.deal.terms import MeldKind
from services.mcr.domain.deal.view import view_for
from tests.support.mcr_hidden import otherwise
from tests.support.mcr_random_play import RandomDeal, Tally

DEALS = 12


def own_score(state: State, seat: int) -> object:
    """What the seat's hand would count with the tile that is there to win with."""
    if isinstance(state, AfterDraw) and state.seat == seat:
        return score_of_draw(state, rule_book)
    if isinstance(state, DiscardWindow | RobbingWindow) and state.seat != seat:
        return score_of_offered(state, seat, rule_book)
    return None


def test_the_view_of_a_seat_and_of_a_bystander_do_not_depend_on_hidden_tiles() -> None:
    """Other hands, concealed kongs, wall, others' claims and answers: the same view, the same own score."""
    tried = face_down = 0
    for seed in range(DEALS):
        rng, deal = Random(seed), RandomDeal(seed, Tally())
        for _ in range(400):
            state = deal.play.state
            if isinstance(state, Ended):
                break
            assert not isinstance(state, NotDealt)
            for seat in (rng.randrange(SEATS), None):
                other = otherwise(state, seat, rng)
                assert view_for(other, seat) == view_for(state, seat)
                if seat is not None and rng.random() < 0.2:
                    assert own_score(other, seat) == own_score(state, seat)
                tried += other != state
                melds = [meld for each in view_for(state, seat).seats for meld in each.melds]
                face_down += any(meld.kind is MeldKind.CONCEALED_KONG and not meld.tiles for meld in melds)
            deal.step()

    assert tried > 1_000
    assert face_down > 20
