"""What is asked of the boards that are kept: one statement an answer, so that each is one snapshot.

Every statement begins with where the active generation stands. `@row`, `@count`, `@change` stand for the
tables of one generation, `@head` for its place in the feed. An equality on points is written as two bounds:
with the plain one the planner may take the index of accounts, and read a whole sheet. Accounts leave as text:
a driver's UUID costs more than the row. Where several ask at once, their number is a LIMIT: the planner then
takes a plan for any number to be as good as one for these, and does not plan anew for each read, which took
three times as long as reading.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from services.ledger.domain.ranks import COARSE_MASK, COARSE_SHIFT

TABLES: Final = ("row", "count", "change", "entry", "history")
HEAD: Final = """
    SELECT s.generation, s.as_of_day, coalesce(c.seq, 0) AS seq
    FROM board_state s LEFT JOIN checkpoint c ON c.name = 'boards_g' || s.generation
    WHERE s.generation = (SELECT generation FROM active_generation)
"""
PLAYERS: Final = """
    SELECT coalesce(sum(players), 0)::bigint AS players FROM @count WHERE board = $1 AND day = $2 AND coarse
"""
TOP: Final = f"""
    SELECT h.*, n.players, p.accounts, p.points
    FROM ({HEAD}) AS h
    CROSS JOIN LATERAL ({PLAYERS}) AS n
    CROSS JOIN LATERAL (
        SELECT array_agg(account::text) AS accounts, array_agg(points) AS points FROM (
            SELECT account, points FROM @row WHERE board = $1 AND day = $2
            ORDER BY points DESC, account LIMIT $3
        ) AS t
    ) AS p
"""  # noqa: S608 ours
# $3 seq of the listing, $4 and $5 points and account of the last row, $6 how many
NEXT: Final = f"""
    WITH undone AS MATERIALIZED (
        SELECT DISTINCT ON (account) account, old_points AS points FROM @change
        WHERE board = $1 AND day = $2 AND seq > $3 ORDER BY account, seq
    )
    SELECT h.*, n.players, p.accounts, p.points
    FROM ({HEAD}) AS h
    CROSS JOIN LATERAL ({PLAYERS}) AS n
    CROSS JOIN LATERAL (
        SELECT array_agg(account::text) AS accounts, array_agg(points) AS points FROM (
            SELECT account, points FROM (
                (
                    SELECT account, points FROM @row r
                    WHERE board = $1 AND day = $2 AND points <= $4 AND points >= $4 AND account > $5
                      AND NOT EXISTS (SELECT FROM undone u WHERE u.account = r.account)
                    ORDER BY points DESC, account LIMIT $6
                )
                UNION ALL
                (
                    SELECT account, points FROM @row r
                    WHERE board = $1 AND day = $2 AND points < $4
                      AND NOT EXISTS (SELECT FROM undone u WHERE u.account = r.account)
                    ORDER BY points DESC, account LIMIT $6
                )
                UNION ALL
                (
                    SELECT account, points FROM undone
                    WHERE points <> 0 AND points <= $4 AND (points < $4 OR account > $5)
                    ORDER BY points DESC, account LIMIT $6
                )
            ) AS u ORDER BY points DESC, account LIMIT $6
        ) AS t
    ) AS p
"""  # noqa: S608 ours
# One row for each of the accounts $3 on the sheets $1, $2, by one probe of the primary key each.
OWN: Final = """
    LEFT JOIN LATERAL (
        SELECT board, day, account, points FROM @row
        WHERE (board, day, account) >= (q.board, q.day, q.account) ORDER BY board, day, account LIMIT 1
    ) AS r ON (r.board, r.day, r.account) = (q.board, q.day, q.account)
"""


def _ranked(points: str) -> str:
    """The players listed on a sheet, the rank of these points, and how many have them, from the histogram."""
    return f"""
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(players), 0)::bigint AS players,
               coalesce(sum(players) FILTER (WHERE bucket > ({points}) >> {COARSE_SHIFT}), 0) AS above
        FROM @count WHERE board = q.board AND day = q.day AND coarse
    ) AS n
    CROSS JOIN LATERAL (
        SELECT (1 + n.above + coalesce(sum(players) FILTER (WHERE bucket > ({points})), 0))::bigint AS rank,
               coalesce(sum(players) FILTER (WHERE bucket = ({points})), 0)::bigint AS tied
        FROM @count WHERE board = q.board AND day = q.day AND NOT coarse
          AND bucket >= ({points}) AND bucket <= ({points}) | {COARSE_MASK}
    ) AS k
    """  # noqa: S608 ours


STANDINGS: Final = f"""
    SELECT h.*, n.players, r.points, k.rank
    FROM ({HEAD}) AS h
    CROSS JOIN (
        SELECT * FROM unnest($1::smallint[], $2::date[], $3::uuid[]) WITH ORDINALITY LIMIT $4
    ) AS q (board, day, account, place)
    {OWN}
    {_ranked("r.points")}
    ORDER BY q.place
"""  # noqa: S608 ours
# The row and those after it; those before it, the nearest first; the rank of the first of them all.
AROUND: Final = f"""
    SELECT h.*, n.players, k.rank, k.tied, a.accounts, a.points, b.accounts AS accounts_before,
           b.points AS points_before
    FROM ({HEAD}) AS h
    CROSS JOIN (
        SELECT * FROM unnest($1::smallint[], $2::date[], $3::uuid[], $4::integer[]) WITH ORDINALITY LIMIT $5
    ) AS q (board, day, account, size, place)
    {OWN}
    CROSS JOIN LATERAL (
        SELECT array_agg(account::text) AS accounts, array_agg(points) AS points FROM (
            SELECT account, points FROM (
                (
                    SELECT account, points FROM @row
                    WHERE board = q.board AND day = q.day
                      AND points <= r.points AND points >= r.points AND account >= q.account
                    ORDER BY points DESC, account LIMIT q.size + 1
                )
                UNION ALL
                (
                    SELECT account, points FROM @row
                    WHERE board = q.board AND day = q.day AND points < r.points
                    ORDER BY points DESC, account LIMIT q.size + 1
                )
            ) AS u ORDER BY points DESC, account LIMIT q.size + 1
        ) AS t
    ) AS a
    CROSS JOIN LATERAL (
        SELECT array_agg(account::text) AS accounts, array_agg(points) AS points FROM (
            SELECT account, points FROM (
                (
                    SELECT account, points FROM @row
                    WHERE board = q.board AND day = q.day
                      AND points <= r.points AND points >= r.points AND account < q.account
                    ORDER BY points, account DESC
                    LIMIT greatest(q.size / 2, q.size - coalesce(cardinality(a.accounts), 0))
                )
                UNION ALL
                (
                    SELECT account, points FROM @row
                    WHERE board = q.board AND day = q.day AND points > r.points
                    ORDER BY points, account DESC
                    LIMIT greatest(q.size / 2, q.size - coalesce(cardinality(a.accounts), 0))
                )
            ) AS u ORDER BY points, account DESC
            LIMIT greatest(q.size / 2, q.size - coalesce(cardinality(a.accounts), 0))
        ) AS t
    ) AS b
    {_ranked("coalesce(b.points[cardinality(b.points)], r.points)")}
    ORDER BY q.place
"""  # noqa: S608 ours


@lru_cache(maxsize=256)
def of_generation(template: str, generation: int) -> str:
    """Return a statement on the tables of one generation."""
    for table in TABLES:
        template = template.replace(f"@{table}", f"board_{table}_g{generation}")
    return template
