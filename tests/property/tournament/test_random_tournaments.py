"""Random tournaments hold to every rule, replay from their facts, and do not care who settles them when."""

from __future__ import annotations

import random

import pytest

from services.tournament.domain.tournament.evolve import evolve, initial
from services.tournament.domain.tournament.state import State
from services.tournament.domain.tournament.verifying import differences
from tests.property.tournament.checking import check, settled_late
from tests.support.tournament_random_play import RandomTournament


def played(seed: int, most: int = 40, skew_s: float | None = None) -> RandomTournament:
    """One that is over; clocks that are 5 s apart are part of half of them."""
    tournament = RandomTournament(seed, most, skew_s)
    tournament.run()
    return tournament


@pytest.mark.parametrize("seed", range(150))
def test_a_random_tournament_keeps_every_rule(seed: int) -> None:
    """Seats, TP, standing, prizes, one end, and its facts are what the rules make of them."""
    check(played(seed))


@pytest.mark.parametrize("seed", range(150, 190))
def test_it_does_not_matter_who_settles_and_how_late(seed: int) -> None:
    """Facts have the instants of their deadlines, whether a scheduler or the next command found them."""
    tournament = played(seed, skew_s=0.0)

    assert settled_late(tournament).events == tournament.play.events


@pytest.mark.parametrize("seed", range(190, 230))
def test_every_order_that_was_carried_out_may_be_repeated_without_effect(seed: int) -> None:
    """After the end each of them again brings no fact."""
    tournament = played(seed)
    before = list(tournament.play.events)
    for command in tournament.accepted:
        tournament.play.give(command)

    assert tournament.play.events == before


@pytest.mark.parametrize("seed", range(230, 250))
def test_the_state_is_that_of_the_facts_at_any_point(seed: int) -> None:
    """Folding them again; and what there is of a tournament that goes on holds too."""
    tournament = played(seed)
    state: State = initial()
    for event in tournament.play.events:
        state = evolve(state, event)
    cut = random.Random(seed).randrange(len(tournament.play.events))

    assert state == tournament.play.state
    assert differences(tournament.play.events[:cut]) == []


def test_a_field_of_two_hundred_keeps_every_rule() -> None:
    """The size of the demonstration."""
    for seed in (1, 2, 3):
        check(played(seed, most=200))
