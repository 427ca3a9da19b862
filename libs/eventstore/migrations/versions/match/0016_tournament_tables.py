"""Tables of tournaments: under which match each is played, and what it was begun with."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Create the table. Its row is entered in the transaction that begins the match, and never changes."""
    run_sql(
        """
        CREATE TABLE tournament_table (
            match_id      uuid PRIMARY KEY,
            tournament_id uuid NOT NULL,
            round_number  int NOT NULL,
            round_limit   interval NOT NULL,
            ends_at       timestamptz NOT NULL,
            accounts      uuid[] NOT NULL
        );
        """
    )
