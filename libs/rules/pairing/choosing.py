"""Who plays with whom, of those who wait: first come, first served, last opponents apart where it can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any, Final, TypeAlias
from uuid import UUID

from libs.rules.pairing.tickets import T, Ticket

LOOKED_AT_MAX: Final = 15
"""So many of those behind the first one are tried together for one table."""

Met: TypeAlias = Mapping[UUID, AbstractSet[UUID]]
"""Whom an account met in its last match; who is absent met nobody."""


def choose_tables(waiting: Sequence[T], met: Met, seats: int, *, all_are_here: bool) -> list[tuple[T, ...]]:
    """Who plays with whom, of tickets in the order of arrival; the rest goes on waiting.

    Nobody sits with an opponent of the last match while others would do. With two seats last opponents wait,
    unless nobody else does (`all_are_here`: these are all tickets there are). With more seats nobody waits
    for that: as soon as enough are there, the one who waits longest gets the table on which the fewest were
    together in a last match, of equal ones that of the earliest arrivals.
    """
    if seats == 2:
        return _choose_pairs(waiting, met, all_are_here=all_are_here)
    left, tables = list(waiting), []
    while len(left) >= seats:
        first = left.pop(0)
        table = _table_for(first, left, met, seats)
        if table:
            left = [ticket for ticket in left if ticket not in table]
            tables.append(table)
    return tables


def gather(
    waiting: Sequence[T],
    met: Met,
    now: datetime,
    *,
    seats: int,
    needed: int,
    after: timedelta,
    all_are_here: bool,
) -> list[tuple[T, ...]]:
    """Who plays with whom where a game begins with fewer than all seats when it has been gathered for long.

    Full tables first. The rest begin, if they are at least `needed`, `after` the one arrived who made them
    so many: the one who waits longest with those behind, last opponents of anybody at the table left for
    later while others wait; with nobody else they do meet again.
    """
    tables = choose_tables(waiting, met, seats, all_are_here=all_are_here)
    if not all_are_here or needed == seats:
        return tables
    seated = {ticket.ticket_id for table in tables for ticket in table}
    rest = [ticket for ticket in waiting if ticket.ticket_id not in seated]
    if len(rest) < needed or now < rest[needed - 1].created_at + after:
        return tables
    table = [rest[0]]
    for ticket in rest[1:]:
        if all(may_meet(one, ticket, met) for one in table):
            table.append(ticket)
    return [*tables, tuple(table if len(table) > 1 else rest)]


def _table_for(first: T, others: Sequence[T], met: Met, seats: int) -> tuple[T, ...]:
    """The table of the one who waits longest; those who did not meet that one last are looked at first."""
    candidates = sorted(others, key=lambda other: not may_meet(first, other, met))[:LOOKED_AT_MAX]
    best: tuple[T, ...] = ()
    fewest = seats * seats  # more than there can be
    for chosen in combinations(candidates, seats - 1):
        table = (first, *chosen)
        if len({ticket.account_id for ticket in table}) < seats:
            continue  # nobody plays against oneself
        again = meetings_again(table, met)
        if again < fewest:
            best, fewest = table, again
        if not again:
            break
    return tuple(sorted(best, key=lambda ticket: -1 if ticket is first else others.index(ticket)))


def meetings_again(table: Sequence[Ticket[Any]], met: Met) -> int:
    """How many pairs of a table were opponents in the last match of one of the two."""
    return sum(not may_meet(one, other, met) for one, other in combinations(table, 2))


def _choose_pairs(waiting: Sequence[T], met: Met, *, all_are_here: bool) -> list[tuple[T, ...]]:
    """Tables of two.

    The one who waits longest gets the first one behind where neither was the other's last opponent. Two who
    are left over then change partners with a pair, if all four may meet so; else they play each other only
    when nobody else waits.
    """
    left = list(waiting)
    aside: list[T] = []
    pairs: list[tuple[T, ...]] = []
    while left:
        first = left.pop(0)
        second = next((other for other in left if may_meet(first, other, met)), None)
        if second is None:
            aside.append(first)
        else:
            left.remove(second)
            pairs.append((first, second))
    if len(aside) >= 2:
        pairs = _with_two_more(pairs, aside[0], aside[1], met, all_are_here=all_are_here)
    return pairs


def _with_two_more(
    pairs: list[tuple[T, ...]], one: T, other: T, met: Met, *, all_are_here: bool
) -> list[tuple[T, ...]]:
    """The pairs with two last opponents among them, where that can be."""
    for at in reversed(range(len(pairs))):
        first, second = pairs[at]
        for left, right in ((one, other), (other, one)):
            if may_meet(first, left, met) and may_meet(second, right, met):
                return [*pairs[:at], (first, left), (second, right), *pairs[at + 1 :]]
    return [*pairs, (one, other)] if all_are_here and one.account_id != other.account_id else pairs


def may_meet(first: Ticket[Any], second: Ticket[Any], met: Met) -> bool:
    """Whether these are two players, and neither was an opponent in the other's last match."""
    one, other = first.account_id, second.account_id
    return one != other and other not in met.get(one, ()) and one not in met.get(other, ())
