"""Tables of two to four: sizes, neighbours, strangers where that can be had."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TypeVar

import pytest

from libs.rules.pairing.seating import EXACT_TO, seated, table_sizes, together

P = TypeVar("P", bound=Hashable)
Met = Counter[frozenset[int]]


def repeats(tables: Sequence[Sequence[P]], met: Mapping[frozenset[P], int]) -> int:
    """How often those who sit together did so before."""
    return sum(met.get(pair, 0) for pair in together(tables))


def all_seatings(players: tuple[P, ...], sizes: tuple[int, ...]) -> Iterator[list[tuple[P, ...]]]:
    """Every set of tables of these sizes, some of them more than once."""
    if not sizes:
        yield []
        return
    for size in set(sizes):
        left = list(sizes)
        left.remove(size)
        for companions in combinations(players[1:], size - 1):
            table = (players[0], *companions)
            rest = tuple(player for player in players if player not in table)
            for others in all_seatings(rest, tuple(left)):
                yield [table, *others]


@pytest.mark.parametrize(
    ("players", "sizes"),
    [(2, [2]), (3, [3]), (4, [4]), (5, [3, 2]), (6, [4, 2]), (7, [4, 3]), (8, [4, 4]), (9, [4, 3, 2])],
)
def test_there_are_as_many_tables_of_four_as_possible_and_none_of_one(players: int, sizes: list[int]) -> None:
    """The published examples."""
    assert list(table_sizes(players)) == sizes


@pytest.mark.parametrize("players", range(2, 300))
def test_everybody_has_a_seat_and_nobody_two(players: int) -> None:
    """For every number of players there are tables of two to four: nobody ever sits out."""
    tables = seated(range(players), {})

    assert sorted(player for table in tables for player in table) == list(range(players))
    assert sorted(map(len, tables), reverse=True) == list(table_sizes(players))
    assert all(2 <= len(table) <= 4 for table in tables)
    assert sum(len(table) != 4 for table in tables) <= 2


def test_strangers_sit_with_their_neighbours_in_the_order() -> None:
    """From the top."""
    assert seated("abcdefghi", {}) == (tuple("abcd"), tuple("efg"), tuple("hi"))


def test_who_has_met_is_parted_and_the_next_in_the_order_takes_the_seat() -> None:
    """As little as is needed."""
    met = Counter({frozenset("ab"): 1})

    assert seated("abcdefgh", met) == (tuple("acde"), tuple("bfgh"))


def test_a_repeat_that_cannot_be_avoided_falls_on_those_who_met_least() -> None:
    """Of three who have all met two share a table; those who met twice do not."""
    met = Counter({frozenset("ab"): 2, frozenset("ac"): 2, frozenset("bc"): 1, frozenset("de"): 2})
    tables = seated("abcde", met)

    fewest = min(repeats(each, met) for each in all_seatings(tuple("abcde"), (3, 2)))

    assert repeats(tables, met) == fewest == 1


@pytest.mark.parametrize("seed", range(60))
def test_up_to_twelve_players_no_seating_has_fewer_repeats(seed: int) -> None:
    """Against all seatings there are, round after round."""
    chance = random.Random(seed)
    players = chance.randint(2, 9 if seed % 4 else EXACT_TO)
    met: Met = Counter()
    for _ in range(4):
        order = chance.sample(range(players), players)
        tables = seated(order, met)
        fewest = min(repeats(each, met) for each in all_seatings(tuple(order), table_sizes(players)))
        assert repeats(tables, met) == fewest
        met.update(together(tables))


@pytest.mark.parametrize(("players", "rounds"), [(16, 3), (24, 4), (40, 6), (65, 8), (200, 8)])
def test_in_fields_of_some_size_nobody_meets_twice(players: int, rounds: int) -> None:
    """With as many strangers about, repeats can be avoided for many rounds."""
    chance = random.Random(players)
    met: Met = Counter()
    points = [0] * players
    for _ in range(rounds):
        order = sorted(range(players), key=lambda player: (-points[player], player))
        tables = seated(order, met)
        assert repeats(tables, met) == 0
        met.update(together(tables))
        for table in tables:
            for player in table:
                points[player] += chance.choice([40, 20, 10, 0])


def test_the_same_question_has_the_same_answer() -> None:
    """A search is bounded by steps, not by time."""
    chance = random.Random(5)
    met: Met = Counter()
    for _ in range(12):
        order = chance.sample(range(14), 14)
        assert seated(order, met) == seated(order, Counter(dict(reversed(list(met.items())))))
        met.update(together(seated(order, met)))
