"""Who was in which club from when to when: the account service's facts, as far as club boards need them."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Create the table of memberships."""
    run_sql(
        """
        -- One row for each time that a player joined, by the version of that fact in the stream of the player
        -- and the club. From joined_at, counted, to left_at, not counted; NULL: still in.
        CREATE TABLE club_membership (
            club           uuid        NOT NULL,
            account        uuid        NOT NULL,
            joined_version bigint      NOT NULL,
            joined_at      timestamptz NOT NULL,
            left_at        timestamptz,
            PRIMARY KEY (club, account, joined_version),
            CHECK (left_at >= joined_at)
        );
        """
    )
