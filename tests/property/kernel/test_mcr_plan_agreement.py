"""The kernel says of the tiles of MCR hands what the definition says."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from libs.kernel import mcr_plan
from libs.rules.mcr import plan as definition
from libs.rules.mcr.hand import Hand
from libs.rules.mcr.plan_terms import Question, Rates
from libs.rules.mcr.tiles import ALL_TILES, COPIES, EAST, TileIndex, counted
from tests.property.rules.mcr.random_hands import random_hands

pytestmark = pytest.mark.timeout(120)


def questions(seed: int, count: int) -> Iterator[Question]:
    """Hands that were complete, of which some tiles were exchanged; a third may draw, and some see little."""
    random = Random(seed)
    for hand, win in random_hands(seed, count):
        concealed = list(hand.concealed)
        for _ in range(random.randrange(min(4, 1 + len(concealed)))):
            concealed.pop(random.randrange(len(concealed)))
        if random.random() < 0.3:
            concealed.append(win.tile)
        wanted = len(hand.concealed) + (random.random() < 0.7)
        held = counted(Hand(tuple(concealed), hand.melds).all_tiles)
        box = [tile for tile in ALL_TILES for _ in range(COPIES - held[tile])]
        concealed = concealed[:wanted] + random.sample(box, max(0, wanted - len(concealed)))
        held = counted(Hand(tuple(concealed), hand.melds).all_tiles)
        unseen = [random.randint(0, COPIES - each) for each in held]
        own = [random.randrange(9_000) for _ in ALL_TILES]
        chow = [rate + random.randrange(9_000) for rate in own]
        every = [rate + random.randrange(20_000) for rate in chow]
        winds = (win.seat_wind, win.prevalent_wind)
        reach = random.choice((0, 1, 2, 3))
        rates = Rates(own, chow, every)
        yield Question(
            tuple(sorted(concealed)), hand.melds, unseen, winds, rates, random.randrange(40), reach
        )


def test_plans_agree() -> None:
    """Worth of every tile, total, distance and reach, to the last unit."""
    differing, nearest = [], set()
    for asked in questions(21, 90):
        told, defined = mcr_plan.plan(asked), definition.plan(asked)
        nearest.add(defined.nearest)
        if told != defined:
            differing.append((asked, told, defined))

    assert differing == []
    assert {1, 2, 3, 4} <= nearest


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
