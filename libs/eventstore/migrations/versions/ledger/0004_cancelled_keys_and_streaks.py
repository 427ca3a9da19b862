"""Reversals and tombstones in the journal, and the streaks of the daily bonus."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0004"
down_revision = "0003"

CANCELLED_KEYS = """
-- A tombstone is a row without contents: one unique index over keys decides between a spend and its
-- cancelling, whichever comes first. Its posted_at is when the key was cancelled.
ALTER TABLE transfer
    ADD COLUMN reverses text COLLATE "C" DEFAULT '',
    ALTER COLUMN asset DROP NOT NULL,
    ALTER COLUMN debit DROP NOT NULL,
    ALTER COLUMN credit DROP NOT NULL,
    ALTER COLUMN amount DROP NOT NULL,
    ALTER COLUMN reason DROP NOT NULL,
    ALTER COLUMN occurred_at DROP NOT NULL,
    ALTER COLUMN day DROP NOT NULL,
    ALTER COLUMN time_zone_data DROP NOT NULL,
    ALTER COLUMN cause DROP NOT NULL,
    ADD CONSTRAINT whole_or_tombstone CHECK (
        num_nulls(asset, debit, credit, amount, reason, occurred_at, day, time_zone_data, cause, reverses)
        IN (0, 10)
    );
"""

STREAKS = """
-- The last claim of a player's daily bonus; the transfers under daily/<account>/<day> say the same.
CREATE TABLE daily_streak (
    account    uuid    PRIMARY KEY,
    day        date    NOT NULL,
    streak     integer NOT NULL CHECK (streak > 0),
    is_doubled boolean NOT NULL
) WITH (fillfactor = 70);
"""


def upgrade() -> None:
    """Let keys be cancelled, and keep streaks."""
    run_sql(CANCELLED_KEYS)
    run_sql(STREAKS)
