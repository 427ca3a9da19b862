"""Races: groups and their members, personal bests, ratings."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the tables. An account is in one group at a time."""
    run_sql(
        """
        CREATE TABLE race_group (
            group_id    uuid PRIMARY KEY,
            code        text NOT NULL UNIQUE,
            host        uuid NOT NULL,
            settings    bytea NOT NULL,
            cpu_players text[] NOT NULL,
            rated       boolean NOT NULL,
            race_id     uuid,
            playing     boolean NOT NULL,
            version     bigint NOT NULL
        );
        CREATE TABLE race_member (
            account_id uuid PRIMARY KEY,
            group_id   uuid NOT NULL REFERENCES race_group ON DELETE CASCADE,
            place      smallint NOT NULL,
            wins       int NOT NULL,
            asks       boolean NOT NULL
        );
        CREATE INDEX race_member_by_group ON race_member (group_id, place);

        CREATE TABLE race_best (
            account_id uuid NOT NULL,
            difficulty text NOT NULL,
            bonus      boolean NOT NULL,
            best_ms    bigint NOT NULL,
            race_id    uuid NOT NULL,
            PRIMARY KEY (account_id, difficulty, bonus)
        );
        CREATE TABLE race_rating (
            account_id uuid PRIMARY KEY,
            mu         double precision NOT NULL,
            sigma      double precision NOT NULL,
            races      int NOT NULL
        );
        """
    )
