"""Closed tables, by player: what lists of them say."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the table. It follows from the feed: the projection `history` enters what was played so far."""
    run_sql(
        """
        CREATE TABLE played_table (
            account_id uuid NOT NULL,
            table_id   uuid NOT NULL,
            told       bytea NOT NULL,
            PRIMARY KEY (account_id, table_id)
        );
        """
    )
