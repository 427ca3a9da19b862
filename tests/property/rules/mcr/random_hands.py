"""Random hands that are complete, or nearly, aimed at every fan; the same for the same seed.

A hand is built from a theme: some tiles to take sets from and some sets to begin with. What comes together by
chance is what makes most of it, so that themes meet each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final, NamedTuple, TypeVar

from libs.rules.mcr.decompose import KNITTED_STRAIGHTS
from libs.rules.mcr.hand import Hand, Win
from libs.rules.mcr.melds import Set, SetKind
from libs.rules.mcr.tiles import (
    ALL_TILES,
    COPIES,
    DRAGONS,
    FIRST_HONOR,
    GREEN,
    HONORS,
    ORPHANS,
    RANKS,
    REVERSIBLE,
    SUIT_TILES,
    TERMINALS,
    WINDS,
    TileIndex,
    counted,
    rank_of,
    ranked,
)

T = TypeVar("T")

_BROKEN_SHARE: Final = 0.06
"""Of hands that get a tile that probably does not complete them."""
_ATTEMPTS: Final = 60


class Theme(NamedTuple):
    """What a hand of four sets and a pair is made of."""

    tiles: frozenset[TileIndex]
    chow_share: float
    first: tuple[Set, ...] = ()
    pair: TileIndex | None = None
    meld_share: float = 0.25
    kong_share: float = 0.1


Question = tuple[Hand, Win]


def random_hands(seed: int, count: int) -> Iterator[Question]:
    """So many hands with circumstances that can be."""
    random = Random(seed)
    while count:
        question = _special(random) if random.random() < 0.3 else _of_theme(random, _theme(random))
        if question is not None:
            yield question
            count -= 1


def _theme(random: Random) -> Theme:
    return random.choice(_THEMES)(random)


def _suits(random: Random, count: int) -> frozenset[TileIndex]:
    suits = random.sample(range(3), count)
    return frozenset(tile for tile in SUIT_TILES if tile // RANKS in suits)


def _any(random: Random) -> Theme:
    return Theme(frozenset(ALL_TILES), random.random())


def _few_suits(random: Random) -> Theme:
    honors = HONORS if random.random() < 0.4 else frozenset()
    return Theme(_suits(random, random.choice([1, 1, 2])) | honors, random.random())


def _ranks(random: Random) -> Theme:
    lowest, highest = random.choice([(1, 3), (4, 6), (7, 9), (1, 4), (6, 9), (2, 8), (3, 7)])
    return Theme(ranked(lowest, highest), random.random())


def _fives(random: Random) -> Theme:
    fives = [tile for tile in SUIT_TILES if rank_of(tile) == 5]
    chows = [_chow(random.choice(fives) - random.randrange(3)) for _ in range(4)]
    pungs = [_pung(tile) for tile in fives]
    return Theme(frozenset(fives), 0, _shuffled(random, chows + pungs)[:4], random.choice(fives))


def _pictures(random: Random) -> Theme:
    evens = frozenset(tile for tile in SUIT_TILES if rank_of(tile) % 2 == 0)
    tiles = random.choice([GREEN, REVERSIBLE, TERMINALS, HONORS, ORPHANS, evens])
    return Theme(tiles, 0.5)


def _outside(random: Random) -> Theme:
    chows = [_chow(suit * RANKS + start) for suit in range(3) for start in (0, 6)]
    pungs = [_pung(tile) for tile in ORPHANS]
    first = _shuffled(random, [random.choice(chows), random.choice(chows), random.choice(chows + pungs)])
    return Theme(ORPHANS, 0, first, random.choice(sorted(ORPHANS)))


def _winds_and_dragons(random: Random) -> Theme:
    honors = _shuffled(random, sorted(random.choice([WINDS, DRAGONS, HONORS])))
    count = random.randint(1, len(honors))
    first = tuple(_pung(tile) for tile in honors[: min(count, 4)])
    pair = honors[count] if count < len(honors) else None
    return Theme(_suits(random, random.choice([1, 3])), random.random(), first, pair)


def _related_chows(random: Random) -> Theme:
    """Shifted, equal, straight: by steps within a suit or through all suits."""
    step, count = random.choice([0, 1, 1, 2, 2, 3]), random.choice([3, 3, 4])
    count = 3 if step == 3 else count
    start = random.randint(0, 6 - step * (count - 1))
    suits = [random.randrange(3)] * 4 if random.random() < 0.5 else [*random.sample(range(3), 3), 0]
    first = tuple(_chow(suits[i] * RANKS + start + step * i) for i in range(count))
    return Theme(frozenset(ALL_TILES), 0.8, _shuffled(random, first))


def _terminal_chows(random: Random) -> Theme:
    suits = random.sample(range(3), 3)
    if random.random() < 0.5:
        suits = [suits[0]] * 3
    first = [_chow(suit * RANKS + start) for suit in suits[:2] for start in (0, 6)]
    return Theme(frozenset(), 0, _shuffled(random, first), TileIndex(suits[2] * RANKS + 4))


def _related_pungs(random: Random) -> Theme:
    step, count = random.choice([0, 1, 1, 1]), random.choice([2, 3, 4])
    start = random.randint(0, 8 - step * (count - 1))
    same_suit = step == 1 and random.random() < 0.6
    suits = [random.randrange(3)] * 4 if same_suit else random.sample(range(3), 3)
    first = tuple(_pung(suits[i] * RANKS + start + step * i) for i in range(min(count, len(suits))))
    return Theme(frozenset(ALL_TILES), 0.3, _shuffled(random, first), kong_share=0.2)


def _kongs(random: Random) -> Theme:
    return Theme(frozenset(ALL_TILES), 0.15, meld_share=0.8, kong_share=0.8)


def _melded(random: Random) -> Theme:
    return Theme(_suits(random, 3), random.random(), meld_share=1, kong_share=0.05)


def _concealed_pungs(random: Random) -> Theme:
    return Theme(frozenset(ALL_TILES), 0.1, meld_share=0.1, kong_share=0.4)


_THEMES: Final[tuple[Callable[[Random], Theme], ...]] = (
    *(_any, _few_suits, _ranks, _fives, _pictures, _outside, _winds_and_dragons, _related_chows),
    *(_related_chows, _terminal_chows, _related_pungs, _kongs, _melded, _concealed_pungs),
)


def _chow(tile: int) -> Set:
    return Set(SetKind.CHOW, TileIndex(tile))


def _pung(tile: int) -> Set:
    return Set(SetKind.PUNG, TileIndex(tile))


def _shuffled(random: Random, some: Sequence[T]) -> tuple[T, ...]:
    return tuple(random.sample(list(some), len(some)))


def _of_theme(random: Random, theme: Theme) -> Question | None:
    """Four sets and a pair, in part melded; None when the tiles do not suffice."""
    sets = list(theme.first[:4])
    pool = sorted(theme.tiles)
    for _ in range(_ATTEMPTS):
        if len(sets) == 4 or not pool:
            break
        tile = random.choice(pool)
        chow = random.random() < theme.chow_share and tile < FIRST_HONOR and rank_of(tile) <= 7
        fresh = _chow(tile) if chow else _pung(tile)
        if set(fresh.tiles) <= theme.tiles and _possible([*sets, fresh]):
            sets.append(fresh)
    pairs = [tile for tile in pool or ALL_TILES if _possible(sets, (tile, tile))]
    pair = theme.pair if theme.pair is not None else random.choice(pairs) if pairs else None
    if len(sets) < 4 or pair is None or not _possible(sets, (pair, pair)):
        return None
    for place, one in enumerate(sets):
        kong = one._replace(kind=SetKind.KONG, melded=True, concealed=random.random() < 0.5)
        with_kong = [*sets[:place], kong, *sets[place + 1 :]]
        if not one.is_chow and random.random() < theme.kong_share and _possible(with_kong, (pair, pair)):
            sets = with_kong
    melds: list[Set] = []
    concealed = [pair, pair]
    for one in sets:
        if one.melded:
            melds.append(one)
        elif random.random() < theme.meld_share:
            melds.append(one._replace(melded=True, concealed=False))
        else:
            concealed += one.tiles
    return _won(random, concealed, _shuffled(random, melds))


def _possible(sets: Sequence[Set], more: Sequence[TileIndex] = ()) -> bool:
    return max(counted([*(tile for one in sets for tile in one.tiles), *more])) <= COPIES


def _special(random: Random) -> Question | None:
    """A shape without sets, nine gates, or a knitted straight."""
    straight = list(random.choice(KNITTED_STRAIGHTS))
    match random.randrange(8):
        case 0:
            kinds = _shuffled(
                random, random.choice([ALL_TILES, ALL_TILES, sorted(_suits(random, 1)), sorted(ORPHANS)])
            )
            pairs = kinds[:7] if random.random() < 0.7 else (*kinds[:6], kinds[0])
            tiles = [tile for tile in pairs for _ in range(2)]
        case 1:
            first = random.randrange(3) * RANKS + random.randrange(3)
            tiles = [TileIndex(first + step) for step in range(7)] * 2
        case 2:
            tiles = [*ORPHANS, random.choice(sorted(ORPHANS))]
        case 3:
            tiles = [*HONORS, *random.sample(straight, 7)]
        case 4:
            tiles = (
                random.sample([*HONORS, *straight], 14)
                if random.random() < 0.5
                else straight + random.sample(sorted(HONORS), 5)
            )
        case 5:
            suit = random.randrange(3) * RANKS
            gates = [0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8]
            tiles = [TileIndex(suit + rank) for rank in [*gates, random.randrange(9)]]
        case 6:
            return _plain(random)
        case _:
            return _knitted_straight(random, straight)
    return _won(random, tiles, ())


def _knitted_straight(random: Random, straight: list[TileIndex]) -> Question | None:
    tile = random.choice(ALL_TILES)
    chow = tile < FIRST_HONOR and rank_of(tile) <= 7 and random.random() < 0.6
    one, pair = _chow(tile) if chow else _pung(tile), random.choice(ALL_TILES)
    if not _possible([one], (*straight, pair, pair)):
        return None
    if random.random() < 0.5:
        return _won(random, [*straight, *one.tiles, pair, pair], ())
    return _won(random, [*straight, pair, pair], (one._replace(melded=True, concealed=False),))


def _plain(random: Random) -> Question | None:
    """Sets that have little to do with each other: nothing much scores, sometimes nothing at all."""
    suits = random.sample(range(3), 3)
    melded = [_chow(suits[0] * RANKS + random.randint(1, 5)), _chow(suits[1] * RANKS + random.randint(1, 5))]
    melds = tuple(one._replace(melded=True, concealed=False) for one in melded)
    pung, chow = (
        _pung(suits[2] * RANKS + random.randint(1, 7)),
        _chow(suits[0] * RANKS + random.randint(1, 5)),
    )
    pair = random.choice(sorted(HONORS))
    tiles = [*pung.tiles, *chow.tiles, pair, pair]
    if not _possible(melds, tiles):
        return None
    tiles.remove(pung.tile)
    last = Win(pung.tile, seat_wind=random.choice(sorted(WINDS)), prevalent_wind=random.choice(sorted(WINDS)))
    return Hand(tuple(tiles), melds), last


def _won(random: Random, concealed: list[TileIndex], melds: tuple[Set, ...]) -> Question | None:
    """The tiles with one of them as the last, in circumstances that can be."""
    if max(counted([*concealed, *(tile for meld in melds for tile in meld.tiles)])) > COPIES:
        return None
    random.shuffle(concealed)
    last = concealed.pop()
    hand = Hand(tuple(concealed), melds)
    if random.random() < _BROKEN_SHARE:
        last = random.choice([tile for tile in ALL_TILES if hand.all_tiles.count(tile) < COPIES])
    self_drawn = random.random() < 0.4
    held = last in hand.all_tiles
    kong = any(meld.is_kong for meld in melds) if self_drawn else not held
    kong_related = kong and random.random() < 0.15
    robbed = kong_related and not self_drawn
    return hand, Win(
        tile=last,
        self_drawn=self_drawn,
        last_of_kind=last not in hand.concealed and random.random() < 0.15,
        last_tile=not robbed and random.random() < 0.15,
        kong_related=kong_related,
        seat_wind=random.choice(sorted(WINDS)),
        prevalent_wind=random.choice(sorted(WINDS)),
        flowers=random.choice([0, 0, 0, 1, 2, 8]),
    )
