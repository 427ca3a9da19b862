"""Walls on which random play comes to what is rare: wins, kongs, robbed kongs."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from random import Random

from libs.rules.mcr.tiles import FIRST_HONOR, KINDS, RANKS, TileIndex
from libs.rules.mcr.wall import SEATS, TILES, TileId, copies_of, dealt, is_bonus
from services.mcr.domain.deal.terms import Wall

Free = dict[int, list[TileId]]
"""By kind, the tiles that are left to be laid."""


def stacked(wall: Wall, rng: Random) -> Wall:
    """The wall with hands that are nearly complete: so that random play wins and declares kongs."""
    free = _all_tiles()
    return _laid(wall, [_sets(free, rng) for _ in range(SEATS)], [], free, rng)


def robbable(wall: Wall, rng: Random) -> Wall:
    """The wall with a kong that can be robbed, where somebody makes a pung first.

    One seat holds two tiles of a kind, another one, the fourth comes soon; a third seat waits for them with a
    straight.
    """
    free = _all_tiles()
    suit, other = rng.sample(range(3), 2)
    kind, honour = other * RANKS + rng.randrange(2, RANKS), rng.randrange(FIRST_HONOR, KINDS)
    straight = [*range(suit * RANKS, suit * RANKS + RANKS), kind - 2, kind - 1, honour, honour]
    hands = [[free[each].pop() for each in kinds] for kinds in ([kind, kind], [kind], straight, [])]
    rng.shuffle(hands)
    return _laid(wall, hands, free[kind], free, rng)


def _all_tiles() -> Free:
    return {kind: list(copies_of(TileIndex(kind))) for kind in range(KINDS)}


def _laid(wall: Wall, hands: list[list[TileId]], soon: list[TileId], free: Free, rng: Random) -> Wall:
    """The wall that deals these hands, filled up at random, and then `soon` among the first tiles drawn."""
    bonus = [TileId(tile) for tile in range(TILES) if is_bonus(TileId(tile))]
    rest = [tile for tile in chain(*free.values(), bonus) if tile not in soon]
    rng.shuffle(rest)
    for seat, hand in enumerate(hands):
        while len(hand) < 13 + (seat == wall.dealer):
            hand.append(rest.pop())
    places = dealt(tuple(TileId(number) for number in range(TILES)), wall.dealer)
    tiles: dict[int, TileId] = {}
    for seat, hand in enumerate(hands):
        tiles.update(zip(places[seat], hand, strict=True))
    for tile in soon:
        rest.insert(rng.randrange(12), tile)
    return replace(wall, tiles=(*(tiles[place] for place in range(len(tiles))), *rest))


def _sets(free: Free, rng: Random) -> list[TileId]:
    """Four sets, most of them pungs, of what is left."""
    hand: list[TileId] = []
    suit = rng.randrange(3)
    while len(hand) < 12:
        kind = rng.randrange(KINDS) if rng.random() < 0.4 else RANKS * suit + rng.randrange(RANKS)
        wanted = [kind] * 3
        if rng.random() < 0.4 and kind < FIRST_HONOR and kind % RANKS < 7:
            wanted = [kind, kind + 1, kind + 2]
        if all(len(free[each]) >= wanted.count(each) for each in wanted):
            hand += [free[each].pop() for each in wanted]
    return hand
