"""Tournaments and series as they are listed, and durable timers."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql, run_sql_file

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the tables."""
    run_sql(TABLES)
    run_sql_file("timers.sql")


# Rows follow the streams, in the same transactions. A series has one tournament a date, whatever asks for it.
TABLES = """
CREATE TABLE series (
    series_id  uuid PRIMARY KEY,
    is_going   boolean NOT NULL
);

CREATE TABLE tournament (
    tournament_id uuid PRIMARY KEY,
    series_id     uuid,
    day           date,
    name          text NOT NULL,
    kind          text NOT NULL,
    status        text NOT NULL,
    starts_at     timestamptz NOT NULL,
    ends_at       timestamptz NOT NULL,
    registered    integer NOT NULL,
    maximum       integer NOT NULL,
    CHECK ((series_id IS NULL) = (day IS NULL)),
    UNIQUE (series_id, day)
);
CREATE INDEX tournament_by_start ON tournament (starts_at, tournament_id);
"""
