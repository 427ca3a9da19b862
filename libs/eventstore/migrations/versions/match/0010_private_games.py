"""Private games: tickets that wait with an invitation code, and guesses at codes."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """A ticket with a code waits in no queue."""
    run_sql(
        """
        ALTER TABLE ticket ADD COLUMN code text;
        CREATE INDEX ticket_by_code ON ticket (code) WHERE code IS NOT NULL;
        CREATE TABLE wrong_code (
            account_id uuid NOT NULL,
            at         timestamptz NOT NULL
        );
        CREATE INDEX wrong_code_by_account ON wrong_code (account_id, at);
        """
    )
