"""Tickets and live seats of the queue, durable timers, heartbeats and outages."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the tables. The partial unique index is what makes it one waiting ticket per account."""
    run_sql(QUEUE)
    run_sql(TIMERS)
    run_sql(OUTAGES)


# `place` is the order of arrival as the database saw it: clocks of replicas may differ by a little.
QUEUE = """
CREATE TABLE ticket (
    ticket_id  uuid PRIMARY KEY,
    place      bigint GENERATED ALWAYS AS IDENTITY,
    account_id uuid NOT NULL,
    queue      text NOT NULL,
    state      text NOT NULL CHECK (state IN ('waiting', 'matched', 'cancelled', 'expired')),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    ended_at   timestamptz,
    match_id   uuid,
    CHECK ((state = 'waiting') = (ended_at IS NULL)),
    CHECK ((state = 'matched') = (match_id IS NOT NULL))
);
CREATE UNIQUE INDEX ticket_one_waiting ON ticket (account_id) WHERE state = 'waiting';
CREATE INDEX ticket_waiting ON ticket (queue, place) WHERE state = 'waiting';
CREATE INDEX ticket_by_account ON ticket (account_id, place DESC);
CREATE INDEX ticket_ended ON ticket (ended_at) WHERE state <> 'waiting';

CREATE TABLE live_seat (
    account_id uuid PRIMARY KEY,
    match_id   uuid NOT NULL,
    since      timestamptz NOT NULL
);
CREATE INDEX live_seat_by_match ON live_seat (match_id);

CREATE TABLE last_opponent (
    queue       text NOT NULL,
    account_id  uuid NOT NULL,
    opponent_id uuid NOT NULL,
    PRIMARY KEY (queue, account_id)
);
"""

# A claim runs out by itself, so a timer whose worker died is claimed again.
TIMERS = """
CREATE TABLE timer (
    stream_id     uuid NOT NULL,
    kind          text NOT NULL,
    due           timestamptz NOT NULL,
    claimed_until timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (stream_id, kind)
);
CREATE INDEX timer_by_due ON timer (due);
"""

# At most one heartbeat row; whoever beats holds its lock, so of many who start at once one finds the silence.
OUTAGES = """
CREATE TABLE heartbeat (
    only_row boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
    at       timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE outage (
    from_at timestamptz PRIMARY KEY,
    to_at   timestamptz NOT NULL CHECK (to_at > from_at)
);
CREATE INDEX outage_by_end ON outage (to_at);

-- Beats at `given_at`, null: now; a silence longer than `silence` before it becomes an outage.
-- Returns the outages that ended after `known`.
CREATE FUNCTION beat(given_at timestamptz, silence interval, known timestamptz)
RETURNS TABLE (from_at timestamptz, to_at timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    last    timestamptz;
    beat_at timestamptz;
BEGIN
    INSERT INTO heartbeat (at) VALUES (coalesce(given_at, clock_timestamp()))
    ON CONFLICT (only_row) DO NOTHING;
    SELECT at INTO STRICT last FROM heartbeat FOR UPDATE;
    beat_at := coalesce(given_at, clock_timestamp()); -- asked once the lock is held
    IF beat_at - last > silence THEN
        INSERT INTO outage (from_at, to_at) VALUES (last, beat_at);
    END IF;
    IF beat_at > last THEN
        UPDATE heartbeat SET at = beat_at;
    END IF;
    RETURN QUERY SELECT o.from_at, o.to_at FROM outage o WHERE o.to_at > known ORDER BY o.to_at;
END $$;
"""
