"""Clubs, their members, and who waits to come in: what is decided on, beside the facts."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create clubs, members, and requests and invitations."""
    run_sql(
        """
        CREATE TABLE club (
            club_id      uuid PRIMARY KEY,
            display_name text NOT NULL,
            name_key     text COLLATE "C" NOT NULL UNIQUE,
            description  text NOT NULL,
            policy       text NOT NULL CHECK (policy IN ('open', 'by_request', 'by_invitation')),
            member_limit int NOT NULL CHECK (member_limit >= 1),
            members      int NOT NULL CHECK (members >= 0),
            created_at   timestamptz NOT NULL,
            changed_at   timestamptz NOT NULL -- of its last fact: instants of a club never fall
        );
        -- The key is the promise that a player is in one club. No cascade: who is erased leaves first.
        CREATE TABLE club_member (
            account_id uuid PRIMARY KEY REFERENCES profile,
            club_id    uuid NOT NULL REFERENCES club ON DELETE CASCADE,
            role       text NOT NULL CHECK (role IN ('owner', 'officer', 'member')),
            joined_at  timestamptz NOT NULL
        );
        CREATE INDEX club_member_by_club ON club_member (club_id, joined_at, account_id);
        CREATE UNIQUE INDEX club_has_one_owner ON club_member (club_id) WHERE role = 'owner';
        -- bond: requested, or invited by `inviter`.
        CREATE TABLE club_waiting (
            club_id    uuid NOT NULL REFERENCES club ON DELETE CASCADE,
            account_id uuid NOT NULL REFERENCES profile ON DELETE CASCADE,
            bond       text NOT NULL CHECK (bond IN ('requested', 'invited')),
            inviter    uuid CHECK ((inviter IS NOT NULL) = (bond = 'invited')),
            since      timestamptz NOT NULL,
            PRIMARY KEY (club_id, account_id)
        );
        CREATE INDEX club_waiting_by_club ON club_waiting (club_id, bond, since, account_id);
        CREATE INDEX club_waiting_by_account ON club_waiting (account_id, bond, since, club_id);
        """
    )
