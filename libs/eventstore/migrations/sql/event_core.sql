-- The event core of one service's schema. Runs with search_path set to that schema.
-- Order of locks inside every append: request key (its row), then heads sorted by stream id.

CREATE TABLE stream (
    stream_id uuid   PRIMARY KEY,
    version   bigint NOT NULL CHECK (version BETWEEN 1 AND 5000)
) WITH (fillfactor = 70); -- heads are updated in place

-- part: 1 facts, 2 moves. A range of stream_id is a month of birth, since ids are UUIDv7.
-- Only the first event of a command carries request_id, request_sha256 and request_events > 0.
CREATE TABLE event (
    part           smallint    NOT NULL,
    stream_id      uuid        NOT NULL,
    version        bigint      NOT NULL CHECK (version BETWEEN 1 AND 5000),
    type           text        NOT NULL,
    schema_version integer     NOT NULL,
    occurred_at    timestamptz NOT NULL,
    recorded_at    timestamptz NOT NULL,
    caller         uuid        NOT NULL,
    request_id     text,
    request_sha256 bytea,
    request_events integer     NOT NULL DEFAULT 0,
    data           bytea       NOT NULL CHECK (octet_length(data) <= 16384),
    meta           jsonb,      -- hints of transport (correlation, trace), no facts: outside the chain
    PRIMARY KEY (part, stream_id, version),
    CHECK ((request_id IS NULL) = (request_events = 0)),
    CHECK ((request_id IS NULL) = (request_sha256 IS NULL))
) PARTITION BY LIST (part);

CREATE TABLE event_facts PARTITION OF event FOR VALUES IN (1) PARTITION BY RANGE (stream_id);
CREATE TABLE event_moves PARTITION OF event FOR VALUES IN (2) PARTITION BY RANGE (stream_id);
CREATE TABLE event_facts_default PARTITION OF event_facts DEFAULT;
CREATE TABLE event_moves_default PARTITION OF event_moves DEFAULT;

-- pos orders one stream's rows only because it is drawn under the head's row lock: no cached ranges.
CREATE TABLE outbox (
    pos       bigint   GENERATED ALWAYS AS IDENTITY (CACHE 1),
    part      smallint NOT NULL,
    stream_id uuid     NOT NULL,
    version   bigint   NOT NULL,
    PRIMARY KEY (part, pos)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE TABLE feed (
    part      smallint    NOT NULL,
    seq       bigint      NOT NULL CHECK (seq > 0),
    stream_id uuid        NOT NULL,
    version   bigint      NOT NULL,
    at        timestamptz NOT NULL,
    chain     bytea       NOT NULL CHECK (octet_length(chain) = 32),
    PRIMARY KEY (part, seq)
);

CREATE TABLE feed_head (
    part     smallint    PRIMARY KEY,
    epoch    bigint      NOT NULL,
    last_seq bigint      NOT NULL,
    at       timestamptz NOT NULL,
    chain    bytea       NOT NULL CHECK (octet_length(chain) = 32)
) WITH (fillfactor = 50);
INSERT INTO feed_head
SELECT part, 0, 0, '-infinity', decode(repeat('00', 32), 'hex') FROM unnest('{1,2}'::smallint[]) AS part;

-- One row per accepted command with a key: a repeat is answered from it. It is not partitioned, since the key
-- is global: probing an index per month of events would make every append dearer each month. Its primary key also
-- decides between equal requests in flight: the second one waits for the first one's end.
-- stream_id is null for a command that appended nothing; reply is kept by these and by creating commands.
CREATE TABLE command_reply (
    caller         uuid        NOT NULL,
    request_id     text        NOT NULL,
    request_sha256 bytea       NOT NULL,
    stream_id      uuid,
    first_version  bigint      NOT NULL,
    event_count    integer     NOT NULL,
    reply          bytea,
    at             timestamptz NOT NULL,
    PRIMARY KEY (caller, request_id),
    CHECK (stream_id IS NOT NULL OR reply IS NOT NULL)
);

CREATE TABLE lease (
    name   text        PRIMARY KEY,
    holder text        NOT NULL,
    epoch  bigint      NOT NULL,
    until  timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE checkpoint (
    name  text   PRIMARY KEY,
    seq   bigint NOT NULL,
    epoch bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE parked (
    consumer text        NOT NULL,
    seq      bigint      NOT NULL,
    type     text        NOT NULL,
    reason   text        NOT NULL,
    data     bytea       NOT NULL,
    at       timestamptz NOT NULL,
    PRIMARY KEY (consumer, seq)
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % is forbidden: facts are never changed', tg_op, tg_table_name USING ERRCODE = 'SP002';
END $$;
CREATE TRIGGER facts_stay BEFORE UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER facts_stay BEFORE UPDATE OR DELETE ON feed FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER facts_are_not_emptied BEFORE TRUNCATE ON event EXECUTE FUNCTION refuse_change();
CREATE TRIGGER facts_are_not_emptied BEFORE TRUNCATE ON feed EXECUTE FUNCTION refuse_change();
CREATE TRIGGER facts_are_not_emptied BEFORE TRUNCATE ON event_facts_default EXECUTE FUNCTION refuse_change();
CREATE TRIGGER facts_are_not_emptied BEFORE TRUNCATE ON event_moves_default EXECUTE FUNCTION refuse_change();

-- Makes the monthly partitions of both parts from the month of `from_time` to `months_ahead` months later;
-- returns how many are new. A month whose rows already went to the default partition stays there.
CREATE FUNCTION ensure_partitions(from_time timestamptz, months_ahead integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    month     timestamp;
    low       uuid;
    high      uuid;
    part_name text;
    name      text;
    taken     boolean;
    made      integer := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(current_schema() || ':ensure_partitions', 0));
    FOR ahead IN 0..months_ahead LOOP
        month := date_trunc('month', from_time AT TIME ZONE 'UTC') + make_interval(months => ahead);
        low := first_id_at(month);
        high := first_id_at(month + interval '1 month');
        FOREACH part_name IN ARRAY ARRAY['facts', 'moves'] LOOP
            name := format('event_%s_%s', part_name, to_char(month, 'YYYYMM'));
            CONTINUE WHEN to_regclass(name) IS NOT NULL;
            EXECUTE format('SELECT EXISTS (SELECT FROM event_%s_default WHERE stream_id >= $1 AND stream_id < $2)',
                           part_name) INTO taken USING low, high;
            CONTINUE WHEN taken;
            EXECUTE format('CREATE TABLE %I PARTITION OF event_%s FOR VALUES FROM (%L) TO (%L)',
                           name, part_name, low, high);
            EXECUTE format('CREATE TRIGGER facts_are_not_emptied BEFORE TRUNCATE ON %I '
                           'EXECUTE FUNCTION refuse_change()', name);
            made := made + 1;
        END LOOP;
    END LOOP;
    RETURN made;
END $$;

-- The lowest UUID whose first 48 bits are the milliseconds of an instant given in UTC.
CREATE FUNCTION first_id_at(instant timestamp) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM instant) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- What an earlier command with this key did: no row, or one.
CREATE FUNCTION find_request(of_caller uuid, of_request text)
RETURNS TABLE (sha256 bytea, first_stream uuid, first_version bigint, event_count integer, kept bytea)
LANGUAGE sql STABLE AS $$
    SELECT r.request_sha256, r.stream_id, r.first_version, r.event_count, r.reply
    FROM command_reply r WHERE r.caller = of_caller AND r.request_id = of_request
$$;

-- Appends to all streams or to none. No row: appended. One row (as find_request): the key was used before.
-- SQLSTATE SP001 with the stream in DETAIL: a head was elsewhere; raising undoes everything at once.
-- head_streams are sorted; the event arrays run in the order of the command, the key goes to the first one.
CREATE FUNCTION append(
    head_streams uuid[], head_expected bigint[], head_versions bigint[],
    parts smallint[], stream_ids uuid[], versions bigint[], types text[], schema_versions integer[],
    occurred timestamptz[], datas bytea[],
    recorded timestamptz, of_caller uuid, of_request text, of_sha256 bytea, of_events integer, of_reply bytea
) RETURNS TABLE (sha256 bytea, first_stream uuid, first_version bigint, event_count integer, kept bytea)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    IF of_request IS NOT NULL THEN
        INSERT INTO command_reply
            (caller, request_id, request_sha256, stream_id, first_version, event_count, reply, at)
        VALUES (of_caller, of_request, of_sha256, stream_ids[1], versions[1], of_events, of_reply, recorded)
        ON CONFLICT (caller, request_id) DO NOTHING;
        IF NOT FOUND THEN
            RETURN QUERY SELECT * FROM find_request(of_caller, of_request);
            RETURN;
        END IF;
    END IF;
    FOR i IN 1..cardinality(head_streams) LOOP
        IF head_expected[i] = 0 THEN
            INSERT INTO stream (stream_id, version) VALUES (head_streams[i], head_versions[i])
            ON CONFLICT (stream_id) DO NOTHING;
        ELSE
            UPDATE stream SET version = head_versions[i]
            WHERE stream_id = head_streams[i] AND version = head_expected[i];
        END IF;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'stream is not at version %', head_expected[i]
            USING ERRCODE = 'SP001', DETAIL = head_streams[i]::text;
        END IF;
    END LOOP;
    INSERT INTO event (part, stream_id, version, type, schema_version, occurred_at, recorded_at, caller,
                       request_id, request_sha256, request_events, data)
    SELECT e.part, e.stream_id, e.version, e.type, e.schema_version, e.occurred_at, recorded, of_caller,
           CASE WHEN e.place = 1 THEN of_request END,
           CASE WHEN e.place = 1 THEN of_sha256 END,
           CASE WHEN e.place = 1 AND of_request IS NOT NULL THEN of_events ELSE 0 END,
           e.data
    FROM unnest(parts, stream_ids, versions, types, schema_versions, occurred, datas) WITH ORDINALITY
         AS e (part, stream_id, version, type, schema_version, occurred_at, data, place);
    INSERT INTO outbox (part, stream_id, version)
    SELECT e.part, e.stream_id, e.version
    FROM unnest(parts, stream_ids, versions) WITH ORDINALITY AS e (part, stream_id, version, place)
    ORDER BY e.place;
END $$;

-- Keeps the reply of a command that appends nothing. No row: kept now. One row: the key was used before.
CREATE FUNCTION keep_reply(
    of_caller uuid, of_request text, of_sha256 bytea, of_reply bytea, kept_at timestamptz
) RETURNS TABLE (sha256 bytea, first_stream uuid, first_version bigint, event_count integer, kept bytea)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO command_reply
        (caller, request_id, request_sha256, stream_id, first_version, event_count, reply, at)
    VALUES (of_caller, of_request, of_sha256, NULL, 0, 0, of_reply, kept_at)
    ON CONFLICT (caller, request_id) DO NOTHING;
    IF NOT FOUND THEN
        RETURN QUERY SELECT * FROM find_request(of_caller, of_request);
    END IF;
END $$;
