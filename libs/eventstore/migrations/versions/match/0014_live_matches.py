"""Matches that can be watched: what is played, who plays, whether it takes a code, when it ended."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Create the table. Ids grow with time, so their order gives the newest first."""
    run_sql(
        """
        CREATE TABLE live_match (
            match_id    uuid PRIMARY KEY,
            mode        text NOT NULL,
            accounts    uuid[] NOT NULL,
            cpu_players int NOT NULL,
            private     boolean NOT NULL,
            code        text,
            created_at  timestamptz NOT NULL,
            ended_at    timestamptz
        );
        CREATE INDEX live_match_ended ON live_match (ended_at) WHERE ended_at IS NOT NULL;
        """
    )
