"""Indexes of the queues: the first ones that wait, and the next ones whose time is over."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Tickets with a code wait in no queue, so matchmakers need not step over them."""
    run_sql(
        """
        DROP INDEX ticket_waiting;
        CREATE INDEX ticket_waiting ON ticket (queue, place) WHERE state = 'waiting' AND code IS NULL;
        CREATE INDEX ticket_waiting_until ON ticket (expires_at) WHERE state = 'waiting';
        """
    )
