"""The event core of the `tournament` schema, in the shape that older schemas have come to."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql, run_sql_file

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the log, the outbox, the feed and their functions; appends keep their trace."""
    run_sql_file("event_core.sql")
    run_sql("ALTER TABLE checkpoint ADD COLUMN chain bytea CHECK (octet_length(chain) = 32)")
    run_sql_file("traced_append.sql")
