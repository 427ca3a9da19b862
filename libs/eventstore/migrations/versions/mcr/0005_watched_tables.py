"""Tables that are watched: a private one by its invitation code."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Keep the code beside the table; one without can be watched by nobody."""
    run_sql("ALTER TABLE live_table ADD COLUMN code text CHECK (code IS NULL OR private)")
