"""Rows beside the attempts at levels: a player's list, best times, paid bonuses."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the tables; ids of attempts grow with time, so their index gives the newest first."""
    run_sql(
        """
        CREATE TABLE attempt (
            attempt_id        uuid PRIMARY KEY,
            account_id        uuid NOT NULL,
            level             int NOT NULL,
            catalogue_version int NOT NULL,
            hard              boolean NOT NULL,
            started_at        timestamptz NOT NULL,
            state             text NOT NULL CHECK (state IN ('running', 'cleared', 'left', 'restarted')),
            ended_at          timestamptz,
            elapsed_ms        bigint,
            place             int,
            first_points      int,
            time_points       int,
            next_attempt_id   uuid,
            CHECK ((state = 'running') = (ended_at IS NULL)),
            CHECK ((state = 'cleared') = (place IS NOT NULL))
        );
        CREATE INDEX attempt_by_account ON attempt (account_id, attempt_id DESC);

        CREATE TABLE level_best (
            level      int NOT NULL,
            account_id uuid NOT NULL,
            best_ms    bigint NOT NULL CHECK (best_ms >= 0),
            PRIMARY KEY (level, account_id)
        );
        CREATE INDEX level_best_by_time ON level_best (level, best_ms);

        CREATE TABLE level_award (
            level            int NOT NULL,
            account_id       uuid NOT NULL,
            first_completion boolean NOT NULL,
            best_time        boolean NOT NULL,
            top_ten          boolean NOT NULL,
            PRIMARY KEY (level, account_id)
        );
        """
    )
