"""Which round of a tournament the match service has begun."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column: 0 before the first."""
    run_sql("ALTER TABLE tournament ADD COLUMN begun_round integer NOT NULL DEFAULT 0")
