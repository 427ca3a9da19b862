"""Rebuilding boards: tables without indexes, the work of operators, one lease for all generations."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0008"
down_revision = "0007"

BARE_TABLES = """
-- Takes keys and indexes off a fresh generation, for COPY; returns, table by table, what makes them again.
CREATE FUNCTION bare_board_generation(bared integer) RETURNS TABLE (of_table text, statement text)
LANGUAGE plpgsql AS $$
DECLARE
    each   text;
    found  record;
BEGIN
    FOREACH each IN ARRAY ARRAY['row', 'count', 'change', 'entry', 'history'] LOOP
        FOR found IN
            SELECT i.indexrelid::regclass::text AS index_name, pg_get_indexdef(i.indexrelid) AS index_text,
                   c.conname, pg_get_constraintdef(c.oid) AS constraint_text
            FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.contype IN ('p', 'u')
            WHERE i.indrelid = to_regclass(format('board_%s_g%s', each, bared))
            ORDER BY c.conname NULLS LAST, i.indexrelid
        LOOP
            of_table := each;
            IF found.conname IS NULL THEN
                statement := found.index_text;
                EXECUTE format('DROP INDEX %s', found.index_name);
            ELSE
                statement := format('ALTER TABLE board_%s_g%s ADD CONSTRAINT %I %s',
                                    each, bared, found.conname, found.constraint_text);
                EXECUTE format('ALTER TABLE board_%s_g%s DROP CONSTRAINT %I', each, bared, found.conname);
            END IF;
            RETURN NEXT;
        END LOOP;
    END LOOP;
END $$;
"""

WORK = """
-- Rebuilds and verifications: how far they are, and what they said in the end.
CREATE TABLE board_work (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind       text        NOT NULL,
    request_id text        NOT NULL UNIQUE,
    phase      text        NOT NULL DEFAULT '',
    done       bigint      NOT NULL DEFAULT 0,
    total      bigint      NOT NULL DEFAULT 0,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at   timestamptz,
    report     jsonb
) WITH (fillfactor = 50);
"""

ONE_LEASE = """
-- The projector holds one lease and follows the active generation; checkpoints stay one a generation.
-- Its epochs go on above those that the checkpoints have seen.
INSERT INTO lease (name, holder, epoch, until)
SELECT 'boards', '', max(epoch), '-infinity' FROM checkpoint
WHERE name LIKE 'boards\\_g%' HAVING count(*) > 0;
DELETE FROM lease WHERE name LIKE 'boards\\_g%';
"""


def upgrade() -> None:
    """Add what a rebuild needs beside the tables of a generation."""
    run_sql(BARE_TABLES)
    run_sql(WORK)
    run_sql(ONE_LEASE)
