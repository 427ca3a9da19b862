"""The journal's rows, balances, and the tables of the boards."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0002"
down_revision = "0001"

JOURNAL = """
-- The key is the only guard against posting twice: kept for ever, unpartitioned. Text compares byte by byte.
CREATE TABLE transfer (
    key            text        COLLATE "C" PRIMARY KEY,
    ordinal        bigint      GENERATED ALWAYS AS IDENTITY,
    asset          text        NOT NULL,
    debit          text        COLLATE "C" NOT NULL,
    credit         text        COLLATE "C" NOT NULL CHECK (credit <> debit),
    amount         bigint      NOT NULL CHECK (amount > 0),
    reason         text        NOT NULL,
    occurred_at    timestamptz NOT NULL,
    day            date        NOT NULL,
    time_zone_data text        NOT NULL,
    posted_at      timestamptz NOT NULL,
    cause          text        NOT NULL
);
CREATE INDEX transfer_given ON transfer (debit, ordinal) WHERE debit LIKE 'players/%';
CREATE INDEX transfer_taken ON transfer (credit, ordinal) WHERE credit LIKE 'players/%';
CREATE TRIGGER facts_stay BEFORE UPDATE OR DELETE ON transfer
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Players' JOKER and CHIP only: a row per house account would be a queue for every writer.
CREATE TABLE balance (
    account text   COLLATE "C" NOT NULL,
    asset   text   COLLATE "C" NOT NULL,
    amount  bigint NOT NULL CHECK (amount >= 0),
    PRIMARY KEY (account, asset)
) WITH (fillfactor = 70);
"""

BOARDS = """
CREATE TABLE active_generation (
    only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    generation integer NOT NULL
);

-- Where a generation stands; its place in the feed is the checkpoint 'boards_g<generation>'.
CREATE TABLE board_state (
    generation integer PRIMARY KEY,
    as_of_day  date,
    digest     bytea NOT NULL CHECK (octet_length(digest) = 32)
) WITH (fillfactor = 50);

-- Tables of one generation of boards. board: 1 AMR, 2 weekly, 3 daily. day: the sheet's.
CREATE FUNCTION create_board_generation(generation integer) RETURNS void LANGUAGE plpgsql AS $$
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
    INSERT INTO board_state VALUES (generation, NULL, decode(repeat('00', 32), 'hex'));
END $$;

SELECT create_board_generation(1);
INSERT INTO active_generation (generation) VALUES (1);
"""


def upgrade() -> None:
    """Create the journal and the first generation of boards."""
    run_sql(JOURNAL)
    run_sql(BOARDS)
