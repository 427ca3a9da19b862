"""Histograms of ended days become running sums: a rank is one binary search in them."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0010"
down_revision = "0009"

HISTORIES = """
-- points rise now, and players says how many had those points or more.
DO $$
DECLARE
    kept integer;
BEGIN
    FOR kept IN SELECT generation FROM board_state LOOP
        EXECUTE format('UPDATE board_history_g%s SET (points, players) = (
            SELECT coalesce(array_agg(c.points ORDER BY c.points), ''{}''),
                   coalesce(array_agg(c.listed ORDER BY c.points), ''{}'')
            FROM (
                SELECT u.points, (sum(u.players) OVER (ORDER BY u.points DESC))::bigint AS listed
                FROM unnest(points, players) AS u (points, players)
            ) AS c
        )', kept);
    END LOOP;
END $$;
"""


def upgrade() -> None:
    """Turn what every generation has kept."""
    run_sql(HISTORIES)
