"""The event core of the `account` schema."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql_file

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the log, the outbox, the feed and their functions."""
    run_sql_file("event_core.sql")
