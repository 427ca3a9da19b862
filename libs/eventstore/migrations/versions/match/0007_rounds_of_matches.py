"""Matches of several rounds: their rounds, the scores of each, and several opponents of a last match."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Create and fill. `match_seat.round_id` is the round that is played, or was last.

    `last_opponent` stays for replicas of the version before; nothing reads it any more.
    """
    run_sql(
        """
        CREATE TABLE match_round (
            match_id uuid NOT NULL,
            number   smallint NOT NULL,
            round_id uuid NOT NULL,
            PRIMARY KEY (match_id, number)
        );
        ALTER TABLE match_seat ADD COLUMN round_scores bigint[] NOT NULL DEFAULT '{}';

        CREATE TABLE last_opponents (
            queue        text NOT NULL,
            account_id   uuid NOT NULL,
            opponent_ids uuid[] NOT NULL,
            PRIMARY KEY (queue, account_id)
        );
        INSERT INTO last_opponents SELECT queue, account_id, ARRAY[opponent_id] FROM last_opponent;
        """
    )
