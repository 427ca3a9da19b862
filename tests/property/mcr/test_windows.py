"""Windows against a plain reading of the rule: a window is certain exactly when no missing answer matters."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

from libs.rules.mcr.wall import SEATS
from services.mcr.domain.deal.actions import Answer, Chow, Pass, Win
from services.mcr.domain.deal.state import DiscardWindow, Ended, Window
from services.mcr.domain.deal.windows import best_claim, claims_of, is_certain
from tests.support.mcr_random_play import RandomDeal, Tally

DEALS = 12
Answers = tuple[Answer | None, ...]


def plain_outcome(window: Window, answers: Answers) -> tuple[int, Answer] | None:
    """Win over pung and kong over chow; of equal ones the first in turn order after the discarder."""
    in_turn = [(window.seat + step) % SEATS for step in range(1, SEATS)]
    made = [(seat, answer) for seat in in_turn if (answer := answers[seat]) is not None]
    wins = [one for one in made if isinstance(one[1], Win)]
    sets = [one for one in made if not isinstance(one[1], Win | Pass | Chow)]
    chows = [one for one in made if isinstance(one[1], Chow)]
    return next(iter([*wins, *sets, *chows]), None)


def completions(window: Window) -> list[Answers]:
    """Every way in which the missing answers can come."""
    choices: list[list[Answer | None]] = []
    for seat in range(SEATS):
        claims = claims_of(window, seat)
        is_open = window.answers[seat] is None and claims
        choices.append([*claims, Pass()] if is_open else [window.answers[seat]])
    return list(product(*choices))


def with_some_answers(window: DiscardWindow, rng: Random) -> DiscardWindow:
    """The window with more seats that could win, and some that have answered."""
    others = [seat for seat in range(SEATS) if seat != window.seat]
    may_win = tuple(seat for seat in others if seat in window.may_win or rng.random() < 0.3)
    window = replace(window, may_win=may_win)
    answers: list[Answer | None] = [None] * SEATS
    for seat in others:
        claims = claims_of(window, seat)
        if claims and rng.random() < 0.5:
            answers[seat] = rng.choice([*claims, Pass()])
    return replace(window, answers=tuple(answers))


def test_a_window_is_certain_exactly_when_no_missing_answer_can_change_its_outcome() -> None:
    """Every completion gives one outcome; the claim that goes first is that of the plain rule."""
    seen = {True: 0, False: 0}
    for seed in range(DEALS):
        rng, deal = Random(seed), RandomDeal(seed, Tally())
        while not isinstance(deal.play.state, Ended):
            state = deal.play.state
            if isinstance(state, DiscardWindow):
                window = with_some_answers(state, rng)
                outcomes = {plain_outcome(window, answers) for answers in completions(window)}
                assert is_certain(window) is (len(outcomes) == 1)
                assert best_claim(window) == plain_outcome(window, window.answers)
                seen[is_certain(window)] += any(window.answers)
            deal.step()

    assert min(seen.values()) > 20
