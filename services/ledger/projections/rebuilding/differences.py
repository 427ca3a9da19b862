"""What two sets of board tables differ in, row by row: names of damage, the same for rebuilds and checks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from services.ledger.projections.generations import Connection

NAMED_MAX: Final = 1_000


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is not what it should be; `stored` or `expected` is empty where there is nothing."""

    kind: str
    board: int = 0  # its code
    day: date | None = None
    account: str = ""
    seq: int = 0
    name: str = ""
    stored: str = ""
    expected: str = ""


@dataclass(slots=True)
class Faults:
    """The first faults by name, and how many there are."""

    named: list[Fault] = field(default_factory=list)
    count: int = 0

    def add(self, fault: Fault) -> None:
        """Count a fault, and name it while there is room."""
        self.count += 1
        if len(self.named) < NAMED_MAX:
            self.named.append(fault)


# What tells a table's content from another's, whatever the order of its rows.
# The sheets without a day of their own stand under minus infinity.
SINCE: Final = "coalesce(nullif(day, '-infinity') - date '2000-01-01', -1000000)"
PRINTS: Final = {
    "row": f"hashint8extended(points, uuid_hash_extended(account, ({SINCE} + (board::bigint << 40))))",
    "count": "hashint8extended(players, hashint8extended(bucket,"
    f" ({SINCE} + ((board * 2 + coarse::integer)::bigint << 40))))",
    "entry": "hashint8extended(points, hashint8extended(seq,"
    f" uuid_hash_extended(account, ({SINCE} + (family::bigint << 40)))))"
    " # hashint8extended((extract(epoch FROM occurred_at) * 1000000)::bigint, 0)",
    "history": "hash_array_extended(points, hash_array_extended(players,"
    " hashint8extended(seq, (closed_day - date '2000-01-01' + (board::bigint << 40)))))",
}
# kind, board, day, account, seq, name, stored, expected
DETAILS: Final = {
    "row": """
        SELECT board, day, account::text, 0::bigint, '', s.points::text, e.points::text
        FROM @stored s FULL JOIN @expected e USING (board, day, account)
        WHERE s.points IS DISTINCT FROM e.points
    """,
    "count": """
        SELECT board, day, '', 0::bigint, CASE WHEN coarse THEN 'coarse ' ELSE 'fine ' END || bucket,
               s.players::text, e.players::text
        FROM @stored s FULL JOIN @expected e USING (board, day, coarse, bucket)
        WHERE s.players IS DISTINCT FROM e.players
    """,
    "entry": """
        SELECT (ARRAY[3, 6, 7])[family]::smallint, day, account::text, seq, '',
               s.points || ' at ' || s.occurred_at, e.points || ' at ' || e.occurred_at
        FROM @stored s FULL JOIN @expected e USING (account, family, day, seq)
        WHERE (s.points, s.occurred_at) IS DISTINCT FROM (e.points, e.occurred_at)
    """,
    "history": """
        SELECT board, closed_day, '', coalesce(s.seq, e.seq), '',
               s.points::text || ' ' || s.players::text, e.points::text || ' ' || e.players::text
        FROM @stored s FULL JOIN @expected e USING (closed_day, board)
        WHERE (s.seq, s.points, s.players) IS DISTINCT FROM (e.seq, e.points, e.players)
    """,
}
TOLD_MAX: Final = 200
"""So much of a value is told: a histogram may be long."""


async def print_of(connection: Connection, kind: str, table: str) -> tuple[int, int]:
    """Return how many rows a table has, and a number that is another for other rows."""
    row = await connection.fetchrow(f"SELECT count(*), coalesce(sum({PRINTS[kind]}), 0) FROM {table}")  # noqa: S608 ours
    assert row is not None
    return row[0], int(row[1])


async def name_differences(
    connection: Connection, kind: str, stored: str, expected: str, faults: Faults
) -> None:
    """Add every difference of two tables of one kind, in the order of their keys."""
    query = DETAILS[kind].replace("@stored", stored).replace("@expected", expected)
    async with connection.transaction():
        async for row in connection.cursor(f"{query} ORDER BY 1, 2, 3, 4, 5"):
            board, day, account, seq, name, was, should = row
            told = ((was or "")[:TOLD_MAX], (should or "")[:TOLD_MAX])
            faults.add(Fault(kind, board, day, account, seq, name, *told))


async def compare(
    storing: Connection,
    expecting: Connection,
    stored: Mapping[str, str],
    expected: Mapping[str, str],
    faults: Faults,
) -> dict[str, int]:
    """Add what two sets of tables differ in; return how many rows of each kind the stored one has.

    Both connections see one snapshot; `expecting` sees all tables.
    """
    counts = {}
    for kind in PRINTS:
        found, wanted = await asyncio.gather(
            print_of(storing, kind, stored[kind]), print_of(expecting, kind, expected[kind])
        )
        counts[kind] = found[0]
        if found != wanted:
            await name_differences(expecting, kind, stored[kind], expected[kind], faults)
    return counts
