"""What may be laid down for a tournament."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from services.tournament.domain.tournament.commands import ScheduleTournament
from services.tournament.domain.tournament.decide import decide
from services.tournament.domain.tournament.evolve import initial
from services.tournament.domain.tournament.refusal import Refusal
from services.tournament.domain.tournament.terms import (
    Kind,
    OpenToAll,
    Prize,
    Terms,
    TermsProblem,
    Times,
    WeeklyPrizePoints,
    problem_of,
)
from services.tournament.domain.tournament.words import Plan
from tests.support.tournaments import CHAMPIONS, START, TERMS, TOURNAMENT_ID

CUP = Prize(1, 0, "cup")


@pytest.mark.parametrize(
    ("terms", "problem"),
    [
        (TERMS, None),
        (CHAMPIONS, None),
        (replace(TERMS, name=""), TermsProblem.NAME),
        (replace(TERMS, name="  "), TermsProblem.NAME),
        (replace(TERMS, name="n" * 81), TermsProblem.NAME),
        (replace(TERMS, name="Cup\x00"), TermsProblem.NAME),
        (replace(TERMS, name="\x1b[2JCup"), TermsProblem.NAME),
        (replace(TERMS, name="Cupa țării 👩‍👧"), None),
        (replace(TERMS, duration=timedelta()), TermsProblem.DURATION),
        (replace(TERMS, duration=timedelta(days=1, microseconds=1)), TermsProblem.DURATION),
        (replace(TERMS, minimum=1), TermsProblem.PARTICIPANTS),
        (replace(TERMS, minimum=65), TermsProblem.PARTICIPANTS),
        (replace(TERMS, maximum=513), TermsProblem.PARTICIPANTS),
        (replace(TERMS, prizes=()), TermsProblem.PRIZES),
        (replace(TERMS, prizes=(CUP,) * 65), TermsProblem.PRIZES),
        (replace(TERMS, maximum=2), TermsProblem.PRIZES),
        (replace(TERMS, prizes=(Prize(100),)), TermsProblem.PRIZES),
        (replace(TERMS, prizes=(CUP, Prize(-1))), TermsProblem.PRIZES),
        (replace(TERMS, prizes=(CUP, Prize(0, 1_000_001))), TermsProblem.PRIZES),
        (replace(TERMS, prizes=(Prize(1, 0, "A cup"),)), TermsProblem.PRIZES),
        (replace(TERMS, rounds=()), TermsProblem.ROUNDS),
        (replace(TERMS, rounds=(1,) * 11), TermsProblem.ROUNDS),
        (replace(TERMS, rounds=(0,)), TermsProblem.ROUNDS),
        (replace(TERMS, rounds=(1, 7)), TermsProblem.ROUNDS),
        (replace(TERMS, entry=WeeklyPrizePoints(0)), TermsProblem.ENTRY),
        (replace(TERMS, times=Times(registration=timedelta())), TermsProblem.TIMES),
        (replace(TERMS, times=Times(pause=timedelta(seconds=-1))), TermsProblem.TIMES),
        (replace(TERMS, times=Times(round_limit=timedelta())), TermsProblem.TIMES),
        (replace(TERMS, times=Times(round_limit=timedelta(microseconds=999))), TermsProblem.TIMES),
        (replace(TERMS, prizes=(Prize(1, 0, "champions"),)), TermsProblem.CHAMPIONS),
        (replace(CHAMPIONS, minimum=15), TermsProblem.CHAMPIONS),
        (replace(CHAMPIONS, entry=OpenToAll()), TermsProblem.CHAMPIONS),
        (replace(CHAMPIONS, entry=WeeklyPrizePoints(199)), TermsProblem.CHAMPIONS),
        (replace(CHAMPIONS, prizes=(CUP,)), TermsProblem.CHAMPIONS),
        (replace(CHAMPIONS, prizes=(CHAMPIONS.prizes[0],) * 2), TermsProblem.CHAMPIONS),
        (replace(TERMS, entry=WeeklyPrizePoints(50)), None),
        (replace(TERMS, kind=Kind.CHAMPIONS), TermsProblem.CHAMPIONS),
    ],
)
def test_terms_out_of_range_are_named_by_their_field(terms: Terms, problem: TermsProblem | None) -> None:
    """The winner has a cup, that of champions only where they play; sixteen of them with 200 points each."""
    assert problem_of(terms) is problem
    decided = decide(ScheduleTournament(Plan(TOURNAMENT_ID, terms, START), START), initial())
    assert (decided is Refusal.FIELD_INVALID) == (problem is not None)
