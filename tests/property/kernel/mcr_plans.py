"""Random questions about the worth of MCR tiles."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from libs.rules.mcr.hand import Hand
from libs.rules.mcr.plan_terms import Question, Rates
from libs.rules.mcr.tiles import ALL_TILES, COPIES, counted
from tests.property.rules.mcr.random_hands import random_hands


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
