"""How tables form: tickets, guesses at invitation codes, offers of rematches."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the tables, in the shape that every service's queues have."""
    run_sql(TICKETS)
    run_sql(REMATCHES)


# `place` is the order of arrival as the database saw it: clocks of replicas may differ by a little. A ticket
# with a code waits in no queue; `seats` is for how many persons its table is.
TICKETS = """
CREATE TABLE ticket (
    ticket_id  uuid PRIMARY KEY,
    place      bigint GENERATED ALWAYS AS IDENTITY,
    account_id uuid NOT NULL,
    queue      text NOT NULL,
    ai_level   text NOT NULL,
    state      text NOT NULL CHECK (state IN ('waiting', 'matched', 'cancelled', 'expired')),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    ended_at   timestamptz,
    match_id   uuid,
    code       text,
    seats      smallint,
    CHECK ((state = 'waiting') = (ended_at IS NULL)),
    CHECK ((state = 'matched') = (match_id IS NOT NULL)),
    CHECK ((code IS NULL) = (seats IS NULL))
);
CREATE UNIQUE INDEX ticket_one_waiting ON ticket (account_id) WHERE state = 'waiting';
CREATE INDEX ticket_waiting ON ticket (queue, place) WHERE state = 'waiting' AND code IS NULL;
CREATE INDEX ticket_waiting_until ON ticket (expires_at) WHERE state = 'waiting';
CREATE INDEX ticket_by_account ON ticket (account_id, place DESC);
CREATE INDEX ticket_ended ON ticket (ended_at) WHERE state <> 'waiting';
CREATE INDEX ticket_by_code ON ticket (code) WHERE code IS NOT NULL;

CREATE TABLE last_opponents (
    queue        text NOT NULL,
    account_id   uuid NOT NULL,
    opponent_ids uuid[] NOT NULL,
    PRIMARY KEY (queue, account_id)
);

CREATE TABLE wrong_code (
    account_id uuid NOT NULL,
    at         timestamptz NOT NULL
);
CREATE INDEX wrong_code_by_account ON wrong_code (account_id, at);
"""

# The offer of a table that is over, with everything by person.
REMATCHES = """
CREATE TABLE rematch (
    match_id      uuid PRIMARY KEY,
    deals         smallint NOT NULL,
    ai_level      text NOT NULL,
    private       boolean NOT NULL,
    accounts      uuid[] NOT NULL,
    answers       text[] NOT NULL,
    outcome       text NOT NULL,
    expires_at    timestamptz NOT NULL,
    next_match_id uuid,
    version       integer NOT NULL,
    CHECK ((outcome = 'begun') = (next_match_id IS NOT NULL)),
    CHECK (cardinality(accounts) = cardinality(answers))
);
CREATE INDEX rematch_ended ON rematch (expires_at);
"""
