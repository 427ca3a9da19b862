"""Boards of MCR points and ratings, entries under the boards, histograms of ended days, cups."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0006"
down_revision = "0005"

CUPS = """
ALTER TABLE transfer
    ADD COLUMN cup_kind text COLLATE "C" DEFAULT '',
    DROP CONSTRAINT whole_or_tombstone;
-- A tombstone has no contents, so not this column's either: the one change that a row ever sees.
ALTER TABLE transfer DISABLE TRIGGER facts_stay;
UPDATE transfer SET cup_kind = NULL WHERE asset IS NULL;
ALTER TABLE transfer ENABLE TRIGGER facts_stay;
ALTER TABLE transfer ADD CONSTRAINT whole_or_tombstone CHECK (
    num_nulls(
        asset, cup_kind, debit, credit, amount, reason, occurred_at, day, time_zone_data, cause, reverses
    ) IN (0, 11)
);
"""

BOARDS = """
-- Tables of one generation of boards. board: 1 AMR, 2 weekly, 3 daily; 4, 5, 6 the same for MCR table points;
-- 7 ratings of races. family: 1 account points, 2 MCR table points, 3 ratings. day: the sheet's.
CREATE OR REPLACE FUNCTION create_board_generation(generation integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE board_row_g%s (
        board   smallint NOT NULL,
        day     date     NOT NULL,
        account uuid     NOT NULL,
        points  bigint   NOT NULL CHECK (points <> 0),
        PRIMARY KEY (board, day, account)
    )', generation);
    EXECUTE format('CREATE INDEX ON board_row_g%s (board, day, points DESC, account)', generation);
    EXECUTE format('CREATE TABLE board_count_g%s (
        board   smallint NOT NULL,
        day     date     NOT NULL,
        coarse  boolean  NOT NULL,
        bucket  bigint   NOT NULL,
        players bigint   NOT NULL,
        PRIMARY KEY (board, day, coarse, bucket)
    ) WITH (fillfactor = 70)', generation);
    -- What page tokens need to see a board as it was.
    EXECUTE format('CREATE TABLE board_change_g%s (
        board      smallint    NOT NULL,
        day        date        NOT NULL,
        seq        bigint      NOT NULL,
        account    uuid        NOT NULL,
        old_points bigint      NOT NULL,
        at         timestamptz NOT NULL,
        PRIMARY KEY (board, day, seq, account)
    )', generation);
    EXECUTE format('CREATE INDEX ON board_change_g%s (at)', generation);
    -- What the rows are made of: one entry for each player whose row the transfer at seq of the feed moved.
    EXECUTE format('CREATE TABLE board_entry_g%s (
        account     uuid        NOT NULL,
        family      smallint    NOT NULL,
        day         date        NOT NULL,
        seq         bigint      NOT NULL,
        points      bigint      NOT NULL,
        occurred_at timestamptz NOT NULL,
        PRIMARY KEY (account, family, day, seq)
    )', generation);
    -- What became known of a day after some place in the feed.
    EXECUTE format('CREATE INDEX ON board_entry_g%s (day, seq)', generation);
    -- The boards as they stood when a day was closed: points falling, and how many players had them.
    EXECUTE format('CREATE TABLE board_history_g%s (
        closed_day date     NOT NULL,
        board      smallint NOT NULL,
        seq        bigint   NOT NULL,
        points     bigint[] NOT NULL,
        players    bigint[] NOT NULL,
        PRIMARY KEY (closed_day, board)
    )', generation);
    INSERT INTO board_state VALUES (generation, NULL, decode(repeat('00', 32), 'hex'));
END $$;

CREATE FUNCTION drop_board_generation(dropped integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['row', 'count', 'change', 'entry', 'history'] LOOP
        EXECUTE format('DROP TABLE IF EXISTS board_%s_g%s', name, dropped);
    END LOOP;
    DELETE FROM board_state WHERE generation = dropped;
    DELETE FROM checkpoint WHERE checkpoint.name = 'boards_g' || dropped;
    DELETE FROM lease WHERE lease.name = 'boards_g' || dropped;
    DELETE FROM parked WHERE consumer = 'boards_g' || dropped;
END $$;

-- The boards are folded anew from the log, with their entries.
SELECT create_board_generation(2);
UPDATE active_generation SET generation = 2;
SELECT drop_board_generation(1);
"""


def upgrade() -> None:
    """Add the columns and tables; the boards begin again from the start of the feed."""
    run_sql(CUPS)
    run_sql(BOARDS)
