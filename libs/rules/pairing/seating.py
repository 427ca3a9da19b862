"""Who sits with whom: tables of two to four, neighbours in an order, strangers where that can be had.

Everybody gets a seat: for two players and more there is always a legal set of tables, so nobody sits out.
A seating is measured by its repeats: for each two at a table, how often they sat together before. With up to
`EXACT_TO` players there is none with fewer repeats; with more, a search of `NODES_MAX` steps looks for one
without any. Steps, not time: the same question has the same answer everywhere.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, TypeVar

P = TypeVar("P", bound=Hashable)
Table = tuple[int, ...]
"""Players by their places in the order, from 0, rising."""

TABLE_MAX: Final = 4
EXACT_TO: Final = 12
NODES_MAX: Final = 30_000
_REACH: Final = 12
"""With more players than `EXACT_TO`, how far down the search looks for companions."""
_SWAP_REACH: Final = 40


def table_sizes(players: int) -> tuple[int, ...]:
    """Return the sizes of the tables for two players and more: as many fours as possible, never a one."""
    assert players >= 2, "a table has two seats at least"
    fours, rest = divmod(players, TABLE_MAX)
    if rest == 1:
        return (*(TABLE_MAX,) * (fours - 1), 3, 2)
    return (*(TABLE_MAX,) * fours, rest) if rest else (TABLE_MAX,) * fours


def seated(order: Sequence[P], met: Mapping[frozenset[P], int]) -> tuple[tuple[P, ...], ...]:
    """Return the tables for players in their order; `met` counts how often two sat together."""
    times = _times(order, met)
    tables = _improved(_greedy(len(order), times), times)
    if _cost(tables, times) > 0:
        tables = _Search(times, tables).best
    return tuple(tuple(order[player] for player in sorted(table)) for table in sorted(tables))


def together(tables: Iterable[Sequence[P]]) -> Iterator[frozenset[P]]:
    """Yield each two who sit together at any of the tables."""
    for table in tables:
        yield from map(frozenset, combinations(table, 2))


_Times = list[list[int]]


def _times(order: Sequence[P], met: Mapping[frozenset[P], int]) -> _Times:
    places = {player: place for place, player in enumerate(order)}
    times = [[0] * len(order) for _ in order]
    for pair, count in met.items():
        if pair <= places.keys():
            one, other = (places[player] for player in pair)
            times[one][other] = times[other][one] = count
    return times


def _repeats(table: Table, times: _Times) -> int:
    return sum(times[one][other] for one, other in combinations(table, 2))


def _cost(tables: Iterable[Table], times: _Times) -> int:
    return sum(_repeats(table, times) for table in tables)


def _greedy(players: int, times: _Times) -> list[Table]:
    """From the top: each table takes the nearest with the fewest repeats."""
    unseated = list(range(players))
    tables = []
    for size in table_sizes(players):
        table = [unseated.pop(0)]
        while len(table) < size:
            added = [(sum(times[player][each] for each in table), player) for player in unseated]
            table.append(min(added)[1])
            unseated.remove(table[-1])
        tables.append(tuple(table))
    return tables


def _improved(tables: list[Table], times: _Times) -> list[Table]:
    """Swap two players of different tables while that saves repeats, near ones first."""
    table_of = {player: number for number, table in enumerate(tables) for player in table}
    is_better = True
    while is_better:
        is_better = False
        for player in range(len(times)):
            if not any(times[player][other] for other in tables[table_of[player]]):
                continue
            near = range(max(0, player - _SWAP_REACH), min(len(times), player + _SWAP_REACH + 1))
            for other in sorted(near, key=lambda place, of=player: (abs(place - of), place)):  # type: ignore[misc]
                if _swap(tables, table_of, player, other, times):
                    is_better = True
                    break
    return tables


def _swap(tables: list[Table], table_of: dict[int, int], one: int, other: int, times: _Times) -> bool:
    """Swap two players if that saves repeats; tell whether it did."""
    here, there = table_of[one], table_of[other]
    if here == there:
        return False
    rest_here = [player for player in tables[here] if player != one]
    rest_there = [player for player in tables[there] if player != other]
    before = sum(times[one][each] for each in rest_here) + sum(times[other][each] for each in rest_there)
    after = sum(times[other][each] for each in rest_here) + sum(times[one][each] for each in rest_there)
    if after >= before:
        return False
    tables[here], tables[there] = (*rest_here, other), (*rest_there, one)
    table_of[one], table_of[other] = there, here
    return True


class _Search:
    """Depth first, nearest first, cut where the repeats reach those of the best so far."""

    def __init__(self, times: _Times, start: list[Table]) -> None:
        """Search at once."""
        self._times = times
        self._nodes = 0
        self.best = start
        self._fewest = _cost(start, times)
        self._seat(tuple(range(len(times))), table_sizes(len(times)), [], 0)

    def _seat(self, unseated: Table, sizes: Table, tables: list[Table], cost: int) -> None:
        if not unseated:
            self.best, self._fewest = list(tables), cost
            return
        reach = len(unseated) if len(unseated) <= EXACT_TO else _REACH
        for size in sorted(set(sizes), reverse=True):
            left = list(sizes)
            left.remove(size)
            for companions in combinations(unseated[1:reach], size - 1):
                self._nodes += 1
                if self._nodes > NODES_MAX or self._fewest == 0:
                    return
                table = (unseated[0], *companions)
                paid = cost + _repeats(table, self._times)
                if paid < self._fewest:
                    rest = tuple(player for player in unseated if player not in table)
                    self._seat(rest, tuple(left), [*tables, table], paid)
