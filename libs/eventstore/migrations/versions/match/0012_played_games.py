"""Races and games of the pool that are over, by player: what lists of them say."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Create the table. It follows from the feed: the projection `history` enters what was played so far."""
    run_sql(
        """
        CREATE TABLE played_game (
            account_id uuid NOT NULL,
            match_id   uuid NOT NULL,
            mode       text NOT NULL,
            told       bytea NOT NULL,
            PRIMARY KEY (account_id, match_id)
        );
        CREATE INDEX played_game_by_mode ON played_game (account_id, mode, match_id);
        """
    )
