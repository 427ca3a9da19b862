"""What AI players do follows from what their seat sees alone, and is what the rules accept."""

from __future__ import annotations

from random import Random

from services.mcr.domain.deal.actions import Pass
from services.mcr.domain.deal.legal import legal_actions, seats_to_act
from services.mcr.domain.deal.state import Dealing, Ended, NotDealt
from services.mcr.domain.deal.terms import AiLevel
from services.mcr.domain.deal.view import view_for
from services.mcr.domain.players import choose
from tests.support.mcr_hidden import otherwise
from tests.support.mcr_random_play import RandomDeal, Tally

DEALS = 25
ASKED = 0.5
"""The share of decisions at which the players are asked: elsewhere play is random."""


def test_a_choice_does_not_depend_on_hidden_tiles_and_is_legal() -> None:
    """Other hands, concealed kongs, wall, others' claims and answers: every level does the same."""
    asked = exchanged = claims = 0
    for number in range(DEALS):
        rng, deal = Random(number), RandomDeal(number, Tally())
        seed = rng.randbytes(32)
        for _ in range(400):
            state = deal.play.state
            if isinstance(state, Ended):
                break
            assert not isinstance(state, NotDealt)
            for seat in seats_to_act(state) if rng.random() < ASKED else ():
                level = rng.choice(list(AiLevel))
                view = view_for(state, seat)
                action = choose(level, seed, view)
                assert not isinstance(state, Dealing)
                other = otherwise(state, seat, rng)
                assert choose(level, seed, view_for(other, seat)) == action
                assert action in legal_actions(state, seat)
                asked, exchanged = asked + 1, exchanged + (other != state)
                claims += Pass() in legal_actions(state, seat)
            deal.step()

    assert exchanged > 0.9 * asked > 100
    assert claims > 20
