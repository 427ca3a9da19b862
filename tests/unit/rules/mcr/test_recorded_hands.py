"""Agreement with recorded hands: outcome and total of all of them, and the fans up to equal choices."""

from __future__ import annotations

from functools import cache

import pytest

from libs.rules.mcr.score import Score, all_scores, score
from libs.rules.mcr.shanten import shanten, waits
from libs.rules.mcr.tiles import NOTATION
from tests.support.mcr_hands import ScoredHand, counted_hands, scored_hands

pytestmark = pytest.mark.timeout(240)


@cache
def judged() -> tuple[tuple[ScoredHand, Score | None], ...]:
    """Every recorded hand with its score."""
    return tuple((case, score(case.asked.hand, case.asked.win)) for case in scored_hands())


def test_outcome_and_total_agree() -> None:
    """Of those that may be declared, of those under eight points and of those that are not complete."""
    for case, best in judged():
        outcome = "not_winning" if best is None else best.outcome
        total = None if best is None else best.total_without_flowers

        assert (outcome, total) == (case.outcome, case.total), case.asked.name


def test_the_fans_agree_up_to_equal_choices() -> None:
    """Of readings with the same total any is right: which of two waits of one point, two times in all."""
    others = [(case, best) for case, best in judged() if best is not None and best.fans != case.fans]

    assert len(others) <= 2
    for case, best in others:
        equal = [one.fans for one in all_scores(case.asked.hand, case.asked.win) if one.total == best.total]

        assert case.fans in equal
        assert set(best.fans.items()) ^ set(case.fans.items()) == {("Closed Wait", 1), ("Edge Wait", 1)}


def test_shanten_numbers_and_waits_agree() -> None:
    """Shape by shape; and all the tiles that a ready hand waits for."""
    for name, case in ((case.asked.name, case) for case in counted_hands()):
        numbers: dict[str, int] = {str(shape): n for shape, n in shanten(case.asked.hand).items()}

        assert numbers | {"min": min(numbers.values())} == case.shanten, name
        if case.waits is not None:
            assert {NOTATION[tile] for tile in waits(case.asked.hand)} == set(case.waits), name
