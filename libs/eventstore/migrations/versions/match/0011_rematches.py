"""Rematches: offers of matches that are over; and what a private pool match is played for."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """An offer is a row by itself, with everything by seat."""
    run_sql(
        """
        CREATE TABLE rematch (
            match_id      uuid PRIMARY KEY,
            queue         text NOT NULL,
            private       boolean NOT NULL,
            stake         integer,
            accounts      uuid[] NOT NULL,
            answers       text[] NOT NULL,
            outcome       text NOT NULL,
            expires_at    timestamptz NOT NULL,
            next_match_id uuid,
            version       integer NOT NULL,
            CHECK ((outcome = 'begun') = (next_match_id IS NOT NULL)),
            CHECK (cardinality(accounts) = cardinality(answers))
        );
        CREATE INDEX rematch_ended ON rematch (expires_at);
        ALTER TABLE ticket ADD COLUMN seats smallint, ADD COLUMN stake integer;
        """
    )
