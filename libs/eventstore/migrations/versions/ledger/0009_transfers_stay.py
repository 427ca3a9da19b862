"""Transfers are not emptied: a trigger beside the one that keeps single rows from being changed."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0009"
down_revision = "0008"

TRANSFERS_STAY = """
CREATE TRIGGER facts_are_not_emptied BEFORE TRUNCATE ON transfer EXECUTE FUNCTION refuse_change();
"""


def upgrade() -> None:
    """Refuse TRUNCATE."""
    run_sql(TRANSFERS_STAY)
