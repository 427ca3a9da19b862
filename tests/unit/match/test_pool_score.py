"""What pairs bring in the pool, and what undo, shuffle and hint cost."""

from __future__ import annotations

from collections import Counter

import pytest

from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.moves import available_pairs
from libs.rules.tiles import ALL_FACES, BONUS, ORDINARY, Face
from services.match.domain.pool.dealing import certificate_of, deal_pool
from services.match.domain.pool.events import (
    PoolHintGiven,
    PoolPairRemoved,
    PoolPairUndone,
    PoolShuffled,
    PoolShuffleImpossible,
)
from services.match.domain.pool.refusal import PoolRefusal
from services.match.domain.pool.terms import MATCHING, PAIRING
from services.match.domain.pool.values import charge, pair_value, pair_worth
from tests.support.pools import SEED, PoolTable, pool_deal, row, stacked, training


def test_the_board_has_four_of_each_ordinary_face_and_one_of_each_bonus_face() -> None:
    """144 tiles."""
    counts = Counter(deal_pool(SEED, SEED).faces)
    assert sum(counts.values()) == 144
    assert all(counts[face] == 4 for face in ORDINARY)
    assert all(counts[face] == 1 for face in BONUS)


@pytest.mark.parametrize("number", range(12))
def test_the_deal_can_be_solved(number: int) -> None:
    """By its certificate, pair by pair, both tiles free."""
    seed = bytes([number]) * 32
    table = PoolTable(deal_pool(seed, seed))
    for first, second in certificate_of(seed):
        assert isinstance(table.pair(first, second), list)
    assert not table.seat().board.present


@pytest.mark.parametrize(
    ("faces", "value"),
    [
        ("1m 1m", 1),
        ("9p 9p", 2),
        ("5s 5s", 3),
        ("We We", 4),
        ("Dr Dr", 5),
        ("Fl1 Fl4", 6),
        ("Se1 Se2", 7),
        ("Fl1 Se1", 7),
        ("Se3 Fl2", 7),
    ],
)
def test_sets_have_values_from_1_to_7_and_a_flower_with_a_season_counts_7(faces: str, value: int) -> None:
    """Characters, circles, bamboos, winds, dragons, flowers, seasons."""
    first, second = (Face(face) for face in faces.split())
    assert pair_value(first, second) == value


@pytest.mark.parametrize(("faces", "worth"), [("1s 1s", 216), ("Fl1 Se1", 504), ("Fl1 Fl2", 432)])
def test_on_the_full_board_bamboos_bring_216_flower_and_season_504_two_flowers_432(
    faces: str, worth: int
) -> None:
    """The value of the set times 72 pairs; the next pair times 71."""
    first, second = (Face(face) for face in faces.split())
    assert pair_worth(first, second, 72) == worth
    assert pair_worth(first, second, 71) == worth // 72 * 71


def test_a_pair_is_worth_its_sets_value_times_the_pairs_before_it_is_taken() -> None:
    """Three pairs: dragons 5 x 3, winds 4 x 2, characters 1 x 1."""
    table = training(row(6), "Dr Dr We We 1m 1m")
    worths = []
    for first in (0, 2, 4):
        events = table.pair(first, first + 1)
        assert isinstance(events, list)
        assert isinstance(events[0], PoolPairRemoved)
        worths.append((events[0].worth, events[0].score))
    assert worths == [(15, 15), (8, 23), (1, 24)]


def test_any_bonus_tile_goes_with_any_other_and_other_faces_with_their_own() -> None:
    """bonus_any; a touch that is no pair is refused by name, without cost."""
    table = training(row(6), "Fl1 Se3 1m 2m 1m 2m")
    assert table.pair(2, 3) is PoolRefusal.NOT_A_PAIR
    assert isinstance(table.pair(0, 1), list)
    assert table.seat().score == 7 * 3


def test_both_tiles_must_be_free_before_either_is_touched() -> None:
    """A tile between two others is blocked, even for its neighbour; refused by name, without cost."""
    table = PoolTable(pool_deal(closed_row(), "1m 2m 2m 1m"))
    assert table.pair(0, 1) is PoolRefusal.TILE_BLOCKED
    assert table.pair(1, 2) is PoolRefusal.TILE_BLOCKED
    assert isinstance(table.pair(0, 3), list)
    assert isinstance(table.pair(1, 2), list)


def closed_row() -> Layout:
    """Four tiles side by side."""
    return Layout.parse("closed", [(2 * tile, 0, 0) for tile in range(4)])


def test_help_costs_five_times_the_pairs_on_the_board_360_before_the_first_pair() -> None:
    """5 x 72."""
    assert charge(72) == 360
    table = PoolTable(deal_pool(SEED, SEED))
    table.hint()
    assert table.seat().score == -360
    table.shuffle()
    assert table.seat().score == -720


def test_scores_can_go_below_zero() -> None:
    """One hint on two pairs of characters."""
    table = training(row(4), "1m 1m 2m 2m")
    table.hint()
    assert table.seat().score == -10
    table.pair(0, 1)
    assert table.seat().score == -8


@pytest.mark.parametrize("what", ["undo", "shuffle", "hint"])
def test_undo_shuffle_and_hint_each_at_most_five_times_a_game(what: str) -> None:
    """The sixth is refused by name, without cost; the others are not touched by it."""
    table = training(row(30), " ".join(f"{n}m {n}m" for n in (*range(1, 10), *range(1, 7))))
    for first in range(0, 12, 2):
        table.pair(first, first + 1)
    for _ in range(5):
        assert isinstance(getattr(table, what)(), list)
    score = table.seat().score
    refusals = {
        "undo": PoolRefusal.UNDOS_USED_UP,
        "shuffle": PoolRefusal.SHUFFLES_USED_UP,
        "hint": PoolRefusal.HINTS_USED_UP,
    }
    assert getattr(table, what)() is refusals[what]
    assert table.seat().score == score
    for other in {"undo", "shuffle", "hint"} - {what}:
        assert isinstance(getattr(table, other)(), list)


def test_undo_restores_the_score_of_before_the_last_pair_then_charges_what_is_on_the_board_then() -> None:
    """Dragons brought 15; with two pairs on the board the undo costs 10."""
    table = training(row(6), "Dr Dr We We 1m 1m")
    table.pair(0, 1)
    events = table.undo()
    assert isinstance(events, list)
    assert isinstance(events[0], PoolPairUndone)
    assert (events[0].charge, events[0].score) == (10, -10)
    assert table.seat().board.present == 0b111111


def test_an_undo_goes_back_across_a_shuffle_and_returns_neither_charges_nor_uses() -> None:
    """Faces and places are as before the pair; the shuffle stays paid and used."""
    table = training(row(6), "Dr Dr We We 1m 1m")
    table.pair(0, 1)
    table.shuffle()  # 2 pairs: 10
    table.undo()  # 15 back, 10
    seat = table.seat()
    assert seat.board.faces == table.deal.faces
    assert seat.board.present == 0b111111
    assert (seat.score, seat.shuffles, seat.undos) == (-20, 1, 1)


def test_up_to_five_undos_in_a_row() -> None:
    """Back to the board of before the fifth last pair."""
    table = training(row(12), "1m 1m 2m 2m 3m 3m 4m 4m 5m 5m 6m 6m")
    for first in range(0, 10, 2):
        table.pair(first, first + 1)
    for _ in range(5):
        assert isinstance(table.undo(), list)
    assert table.seat().board.present == (1 << 12) - 1
    assert table.seat().score == -5 * (1 + 2 + 3 + 4 + 5)


def test_with_nothing_to_undo_it_says_so_charges_nothing_and_uses_none() -> None:
    """Before the first pair, and after all were taken back."""
    table = training(row(4), "1m 1m 2m 2m")
    assert table.undo() is PoolRefusal.NOTHING_TO_UNDO
    table.pair(0, 1)
    table.undo()
    assert table.undo() is PoolRefusal.NOTHING_TO_UNDO
    assert (table.seat().undos, table.seat().score) == (1, -5)


def test_a_shuffle_permutes_the_faces_that_are_left_so_that_a_pair_is_available() -> None:
    """The same tiles, the same faces, other places."""
    table = PoolTable(deal_pool(SEED, SEED))
    first, second = available_pairs(
        table.deal.layout, table.deal.faces, table.seat().board.present, MATCHING, PAIRING
    )[0]
    table.pair(first, second)
    before = table.seat().board
    events = table.shuffle()
    after = table.seat().board
    left = [tile for tile in range(144) if before.has(tile)]

    assert isinstance(events, list)
    assert isinstance(events[0], PoolShuffled)
    assert events[0].charge == 5 * 71
    assert after.present == before.present
    assert Counter(after.faces[t] for t in left) == Counter(before.faces[t] for t in left)
    assert after.faces != before.faces
    assert after.pair_available


def test_where_no_permutation_has_a_pair_the_shuffle_says_so_charges_nothing_and_uses_none() -> None:
    """Two tiles stacked: the lower one is covered whatever its face is."""
    table = PoolTable(pool_deal(stacked(), "1m 1m 2m 2m"))
    table.pair(2, 3)
    score = table.seat().score
    events = table.shuffle()
    assert isinstance(events, list)
    assert isinstance(events[0], PoolShuffleImpossible)
    assert (table.seat().score, table.seat().shuffles) == (score, 0)


def test_a_hint_names_the_available_pair_of_the_highest_value() -> None:
    """A season beats dragons, dragons beat circles."""
    table = training(row(8), "1p 1p Dr Dr Fl1 Se1 1m 1m")
    hinted = []
    for _ in range(3):
        events = table.hint()
        assert isinstance(events, list)
        assert isinstance(events[0], PoolHintGiven)
        hinted.append((events[0].first, events[0].second))
        table.pair(*hinted[-1])
    assert hinted == [(4, 5), (2, 3), (0, 1)]


def test_with_no_pair_the_hint_says_so_charges_nothing_and_uses_none() -> None:
    """The stacked tiles again."""
    table = PoolTable(pool_deal(stacked(), "1m 1m 2m 2m"))
    table.pair(2, 3)
    score = table.seat().score
    assert table.hint() is PoolRefusal.NO_PAIR_AVAILABLE
    assert (table.seat().score, table.seat().hints) == (score, 0)


def test_every_face_has_a_value() -> None:
    """All 42."""
    assert all(1 <= pair_value(face, face) <= 7 for face in ALL_FACES)
