"""Boards of MCR table points against the AI: on days that ended before them they listed nobody."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0011"
down_revision = "0010"

HISTORIES = """
-- board: 8 year, 9 weekly, 10 daily of table points against the AI. family: 4.
DO $$
DECLARE
    kept integer;
BEGIN
    FOR kept IN SELECT generation FROM board_state LOOP
        EXECUTE format('INSERT INTO board_history_g%s
            SELECT closed_day, added.board, seq, ''{}'', ''{}''
            FROM board_history_g%s CROSS JOIN generate_series(8, 10) AS added (board)
            WHERE board_history_g%s.board = 1', kept, kept, kept);
    END LOOP;
END $$;
"""


def upgrade() -> None:
    """Keep an empty board of each for every day that is over."""
    run_sql(HISTORIES)
