-- Durable timers. A claim runs out by itself, so a timer whose worker died is claimed again.
CREATE TABLE timer (
    stream_id     uuid NOT NULL,
    kind          text NOT NULL,
    due           timestamptz NOT NULL,
    claimed_until timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (stream_id, kind)
);
CREATE INDEX timer_by_due ON timer (due);
