"""The kernel says of the tiles of MCR hands what the definition says."""

from __future__ import annotations

import pytest

from libs.kernel import mcr_plan
from libs.rules.mcr import plan as definition
from libs.rules.mcr.plan_terms import FARTHEST, Rates
from libs.rules.mcr.tiles import COPIES, EAST, TileIndex
from tests.property.kernel.mcr_plans import questions

pytestmark = pytest.mark.timeout(120)


def test_plans_agree() -> None:
    """Worth of every tile, total, distance and reach, to the last unit."""
    differing, nearest = [], set()
    for asked in questions(21, 90):
        told, defined = mcr_plan.plan(asked), definition.plan(asked)
        nearest.add(defined.nearest)
        if told != defined:
            differing.append((asked, told, defined))

    assert differing == []
    assert {1, 2, 3, FARTHEST + 1} <= nearest


def test_both_refuse_the_same() -> None:
    """Too many tiles, five copies, no winds, rates that fall, a reach beyond all, numbers that are none."""
    asked = next(questions(22, 1))
    none, much = [0] * 34, [1] * 34
    many = [COPIES] * 34
    wrong = [
        asked._replace(concealed=(*asked.concealed, EAST, EAST)),
        asked._replace(unseen=many),
        asked._replace(unseen=asked.unseen[:-1]),
        asked._replace(winds=(EAST, TileIndex(0))),
        asked._replace(rates=Rates(much, none, much)),
        asked._replace(rates=Rates(none, much, none)),
        asked._replace(rates=Rates([-1] * 34, much, much)),
        asked._replace(rates=Rates(none, much, [1 << 16] * 34)),
        asked._replace(reach=9),
        asked._replace(base=256),
        asked._replace(concealed=(TileIndex(34), *asked.concealed[1:])),
    ]
    for question in wrong:
        for answering in (mcr_plan.plan, definition.plan):
            with pytest.raises(ValueError, match="these are no"):
                answering(question)
