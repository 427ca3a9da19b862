"""Appends of the `match` schema keep the trace that they belong to."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql_file

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Give `append` its traceparent."""
    run_sql_file("traced_append.sql")
