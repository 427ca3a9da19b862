-- Heartbeats and outages. At most one heartbeat row; whoever beats holds its lock, so of many who start at
-- once one finds the silence.
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
