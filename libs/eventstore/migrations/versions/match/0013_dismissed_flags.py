"""Flags that an operator dismisses: who, when and why; the same rule may be broken again by later play."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Flags have an id; by player, mode and rule one of them is open."""
    run_sql(
        """
        ALTER TABLE fair_play_flag
            ADD COLUMN flag_id      uuid NOT NULL DEFAULT gen_random_uuid(),
            ADD COLUMN dismissed_at timestamptz,
            ADD COLUMN dismissed_by text,
            ADD COLUMN dismissal    text,
            ADD CHECK ((dismissed_at IS NULL) = (dismissed_by IS NULL)),
            ADD CHECK ((dismissed_at IS NULL) = (dismissal IS NULL)),
            DROP CONSTRAINT fair_play_flag_pkey,
            ADD PRIMARY KEY (flag_id);
        CREATE UNIQUE INDEX fair_play_flag_open ON fair_play_flag (account_id, mode, rule)
            WHERE dismissed_at IS NULL;
        CREATE INDEX fair_play_flag_by_account ON fair_play_flag (account_id, first_at, flag_id);
        DROP INDEX fair_play_flag_by_time;
        CREATE INDEX fair_play_flag_by_time ON fair_play_flag (first_at, flag_id);
        """
    )
