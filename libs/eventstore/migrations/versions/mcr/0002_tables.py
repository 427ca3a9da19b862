"""Seats at tables, open tables, walls that were dealt, durable timers, heartbeats and outages."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql, run_sql_file

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the tables."""
    run_sql(TABLES)
    run_sql_file("timers.sql")
    run_sql_file("outages.sql")


# `seen_until` is how far the process that holds a seat's stream vouches for it; it moves all the time.
TABLES = """
CREATE TABLE live_seat (
    account_id uuid PRIMARY KEY,
    table_id   uuid NOT NULL,
    since      timestamptz NOT NULL,
    seen_until timestamptz NOT NULL,
    is_lost    boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
CREATE INDEX live_seat_by_table ON live_seat (table_id);

CREATE TABLE live_table (
    table_id   uuid PRIMARY KEY,
    deal_id    uuid NOT NULL,
    number     smallint NOT NULL,
    accounts   uuid[] NOT NULL,
    private    boolean NOT NULL,
    created_at timestamptz NOT NULL,
    ended_at   timestamptz
);
CREATE INDEX live_table_ended ON live_table (ended_at) WHERE ended_at IS NOT NULL;

-- No deal is used twice: the hash is over the tiles of the wall in their order.
CREATE TABLE dealt_wall (
    wall_sha256 bytea PRIMARY KEY,
    deal_id     uuid NOT NULL
);
"""
