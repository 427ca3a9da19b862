-- `append` takes one more argument: the trace that the command belongs to, kept in event.meta as a hint of
-- transport. It has a default, so processes of the release before go on appending while this one rolls out.

DROP FUNCTION append(
    uuid[], bigint[], bigint[], smallint[], uuid[], bigint[], text[], integer[], timestamptz[], bytea[],
    timestamptz, uuid, text, bytea, integer, bytea
);

-- Appends to all streams or to none. No row: appended. One row (as find_request): the key was used before.
-- SQLSTATE SP001 with the stream in DETAIL: a head was elsewhere; raising undoes everything at once.
-- head_streams are sorted; the event arrays run in the order of the command, the key goes to the first one.
CREATE FUNCTION append(
    head_streams uuid[], head_expected bigint[], head_versions bigint[],
    parts smallint[], stream_ids uuid[], versions bigint[], types text[], schema_versions integer[],
    occurred timestamptz[], datas bytea[],
    recorded timestamptz, of_caller uuid, of_request text, of_sha256 bytea, of_events integer, of_reply bytea,
    of_traceparent text DEFAULT NULL
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
                       request_id, request_sha256, request_events, data, meta)
    SELECT e.part, e.stream_id, e.version, e.type, e.schema_version, e.occurred_at, recorded, of_caller,
           CASE WHEN e.place = 1 THEN of_request END,
           CASE WHEN e.place = 1 THEN of_sha256 END,
           CASE WHEN e.place = 1 AND of_request IS NOT NULL THEN of_events ELSE 0 END,
           e.data,
           CASE WHEN of_traceparent IS NOT NULL THEN jsonb_build_object('traceparent', of_traceparent) END
    FROM unnest(parts, stream_ids, versions, types, schema_versions, occurred, datas) WITH ORDINALITY
         AS e (part, stream_id, version, type, schema_version, occurred_at, data, place);
    INSERT INTO outbox (part, stream_id, version)
    SELECT e.part, e.stream_id, e.version
    FROM unnest(parts, stream_ids, versions) WITH ORDINALITY AS e (part, stream_id, version, place)
    ORDER BY e.place;
END $$;
