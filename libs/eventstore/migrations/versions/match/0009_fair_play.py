"""Fair play: figures by player and day, flags, and reports of players about players."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Create the tables. A player has one open report about another and a match."""
    run_sql(
        """
        CREATE TABLE fair_play_day (
            account_id uuid NOT NULL,
            mode       text NOT NULL,
            hard       boolean NOT NULL,
            day        date NOT NULL,
            games      bigint NOT NULL,
            pairs      bigint NOT NULL,
            pace       bigint[] NOT NULL,
            touches    bigint NOT NULL,
            blocked    bigint NOT NULL,
            found      bigint NOT NULL,
            missed     bigint NOT NULL,
            PRIMARY KEY (account_id, mode, hard, day)
        );
        CREATE TABLE fair_play_flag (
            account_id uuid NOT NULL,
            mode       text NOT NULL,
            rule       text NOT NULL,
            hits       bigint NOT NULL,
            trials     bigint NOT NULL,
            first_at   timestamptz NOT NULL,
            last_at    timestamptz NOT NULL,
            PRIMARY KEY (account_id, mode, rule)
        );
        CREATE INDEX fair_play_flag_by_time ON fair_play_flag (first_at, account_id, mode, rule);

        CREATE TABLE player_report (
            report_id   uuid PRIMARY KEY,
            reporter    uuid NOT NULL,
            reported    uuid NOT NULL,
            match_id    uuid,
            reason      text NOT NULL,
            words       text NOT NULL,
            reported_at timestamptz NOT NULL,
            closed_at   timestamptz,
            closed_by   text,
            finding     text
        );
        CREATE UNIQUE INDEX player_report_open ON player_report
            (reporter, reported, coalesce(match_id, '00000000-0000-0000-0000-000000000000'))
            WHERE closed_at IS NULL;
        CREATE INDEX player_report_by_reporter ON player_report (reporter, reported_at);
        CREATE INDEX player_report_by_reported ON player_report (reported, report_id);
        """
    )
