"""Shuffles of positions whose answer can be told by hand, and one that pins the chance in them."""

from __future__ import annotations

from collections import Counter

from libs.rules.solitaire.bitset import bits, mask_of
from libs.rules.solitaire.blind import BlindUndecided, NoBlindLine, find_blind_line
from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.certificate import replay
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.prng import Prng, public_seed
from libs.rules.solitaire.shuffle import (
    Moved,
    NoPairPossible,
    Shuffled,
    ShuffledWithPair,
    shuffle_pool,
    shuffle_race,
)
from libs.rules.tiles import ORDINARY
from tests.unit.rules.solitaire.small_boards import STACK_OF_2, faces

SEED = public_seed("test/shuffle")
RACE = Matching.FLOWERS_SEASONS, Pairing.BOTH_FREE
TOWER_AND_ROW = Layout.parse(
    "tower and row", [*((0, 0, z) for z in range(4)), *((x, 4, 0) for x in (0, 2, 4, 6))]
)
"""A tower of four, tiles 0 to 3 from below, and a row of four."""
TOWER_CERTIFICATE = ((3, 4), (2, 5), (1, 6), (0, 7))


def test_two_stacked_tiles_of_a_race_move_to_the_places_of_the_deals_last_pair() -> None:
    """No arrangement of the two is solvable, which is proved; the pair lies where the deal ended."""
    whole = faces("1m 2m 3m 3m 2m 1m 4m 4m")
    shuffled = shuffle_race(TOWER_AND_ROW, whole, mask_of([2, 3]), *RACE, TOWER_CERTIFICATE, SEED)

    assert isinstance(shuffled, Moved)
    assert isinstance(shuffled.why, NoBlindLine)
    assert shuffled.present == mask_of([0, 7])
    assert shuffled.faces[0] == shuffled.faces[7] == "3m"
    assert sorted(shuffled.faces) == sorted(whole)
    assert replay(TOWER_AND_ROW, shuffled.faces, shuffled.present, shuffled.certificate, *RACE)


def test_under_lift_two_stacked_tiles_need_no_other_places() -> None:
    """Lifting the upper one frees the lower one: the mode's own pairing decides."""
    pair = faces("1m 1m")
    shuffled = shuffle_race(STACK_OF_2, pair, 0b11, Matching.EXACT, Pairing.LIFT, ((1, 0),), SEED)

    assert shuffled == Shuffled(pair, ((1, 0),), is_spread=True)


def test_two_stacked_tiles_of_a_pool_cannot_be_shuffled() -> None:
    """One tile alone is free, and it is named."""
    assert shuffle_pool(STACK_OF_2, faces("1m 1m"), 0b11, *RACE, SEED) == NoPairPossible(1)


def test_a_tower_that_takes_all_other_tiles_is_laid_so_that_it_comes_down() -> None:
    """Each tile of the tower goes with one of the row: the only way there is is found."""
    whole = faces("1m 1m 2m 2m 1m 1m 2m 2m")
    shuffled = shuffle_race(TOWER_AND_ROW, whole, TOWER_AND_ROW.full, *RACE, TOWER_CERTIFICATE, SEED)

    assert isinstance(shuffled, Shuffled)
    assert replay(TOWER_AND_ROW, shuffled.faces, TOWER_AND_ROW.full, shuffled.certificate, *RACE)


def test_the_search_ends_with_its_budget() -> None:
    """Without nodes it is undecided, and never goes on."""
    present = mask_of([1, 2, 3, 4])

    assert find_blind_line(TOWER_AND_ROW, present, Pairing.BOTH_FREE, Prng(SEED), 0) == BlindUndecided(0)
    assert isinstance(find_blind_line(TOWER_AND_ROW, present, Pairing.BOTH_FREE, Prng(SEED)), NoBlindLine)


def test_a_pool_gets_a_pair_of_what_is_left() -> None:
    """Faces of tiles that have gone stay out of it."""
    whole = faces("1m 2m 3m 4m 1m 2m 3m 4m")
    present = mask_of([0, 1, 2, 4, 5, 6])
    shuffled = shuffle_pool(TOWER_AND_ROW, whole, present, Matching.BONUS_ANY, Pairing.BOTH_FREE, SEED)

    assert isinstance(shuffled, ShuffledWithPair)
    first, second = shuffled.pair
    assert shuffled.faces[first] == shuffled.faces[second]
    assert (shuffled.faces[3], shuffled.faces[7]) == ("4m", "4m")
    assert Counter(shuffled.faces[tile] for tile in bits(present)) == Counter(faces("1m 1m 2m 2m 3m 3m"))


def test_the_shuffle_of_a_seed_is_the_same_for_ever() -> None:
    """Pinned: another result would make recorded shuffles impossible to check."""
    board = Layout.parse("rows", [(2 * column, 2 * row, 0) for row in range(2) for column in range(6)])
    whole = tuple(ORDINARY[tile // 2] for tile in range(board.size))
    shuffled = shuffle_race(board, whole, board.full, *RACE, (), SEED)

    assert " ".join(shuffled.faces) == "6m 5m 4m 5m 1m 3m 2m 3m 6m 4m 1m 2m"
