"""Rows beside the rounds: who sits in which match, and which deals have been used."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create the tables. A match is found by its id, a player's by account, newest first."""
    run_sql(
        """
        CREATE TABLE match_seat (
            match_id    uuid NOT NULL,
            seat        smallint NOT NULL,
            account_id  uuid NOT NULL,
            mode        text NOT NULL,
            round_id    uuid NOT NULL,
            created_at  timestamptz NOT NULL,
            ended_at    timestamptz,
            ending      text,
            place       int,
            round_score bigint,
            cleared     boolean,
            tiles_left  int,
            points      int,
            PRIMARY KEY (match_id, seat),
            CHECK ((ended_at IS NULL) = (place IS NULL))
        );
        CREATE INDEX match_seat_by_account ON match_seat (account_id, match_id DESC);

        -- No deal is used twice: the hash is over layout and faces.
        CREATE TABLE round_deal (
            deal_sha256 bytea PRIMARY KEY,
            round_id    uuid NOT NULL
        );
        """
    )
