"""The kernel is equal to the definition; the campaign runs the same on many more positions."""

from __future__ import annotations

from itertools import product

import pytest

from libs.rules.solitaire.board import Matching, Pairing
from tests.property.kernel.agreement import disagreement, small_positions

POSITIONS = 1_500

pytestmark = pytest.mark.timeout(240)


@pytest.mark.parametrize(("matching", "pairing"), list(product(Matching, Pairing)))
def test_kernel_and_definition_agree_on_random_small_positions(matching: Matching, pairing: Pairing) -> None:
    """Solvability, pairs, verdicts, the crucial pair and the hint are the same; certificates replay."""
    for number, small in enumerate(small_positions(seed=1, count=POSITIONS)):
        assert disagreement(small, matching, pairing) is None, (number, small)
