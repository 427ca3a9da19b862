"""Plain rows of accounts: whatever is personal, and may be erased."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create profiles, devices and sessions."""
    run_sql(
        """
        CREATE TABLE profile (
            account_id   uuid PRIMARY KEY,
            display_name text NOT NULL,
            name_key     text NOT NULL UNIQUE,
            created_at   timestamptz NOT NULL
        );
        CREATE TABLE device (
            key_sha256 bytea PRIMARY KEY CHECK (length(key_sha256) = 32),
            account_id uuid NOT NULL REFERENCES profile ON DELETE CASCADE,
            created_at timestamptz NOT NULL
        );
        CREATE TABLE session (
            session_id      uuid PRIMARY KEY,
            account_id      uuid NOT NULL REFERENCES profile ON DELETE CASCADE,
            device_sha256   bytea NOT NULL,
            opened_by       text NOT NULL,
            created_account boolean NOT NULL,
            generation      int NOT NULL CHECK (generation >= 1),
            refreshed_by    text,
            expires_at      timestamptz NOT NULL,
            revoked_at      timestamptz,
            UNIQUE (device_sha256, opened_by)
        );
        CREATE INDEX session_by_account ON session (account_id);
        CREATE INDEX session_by_expiry ON session (expires_at);
        CREATE INDEX session_revoked ON session (revoked_at) WHERE revoked_at IS NOT NULL;
        """
    )
