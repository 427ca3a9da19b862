"""Checkpoints of the `ledger` schema know the chain value they stand at."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column; absent where a loop needs none, or has not moved since."""
    run_sql("ALTER TABLE checkpoint ADD COLUMN chain bytea CHECK (octet_length(chain) = 32)")
