"""How far the loops of one schema are behind, for people and for probes: read only, one snapshot."""

from __future__ import annotations

import json
from dataclasses import dataclass

import asyncpg

_QUERY = """
SELECT
    (SELECT jsonb_object_agg(part::text, last_seq) FROM {schema}.feed_head) AS heads,
    (SELECT jsonb_object_agg(part::text, waiting)
       FROM (SELECT part, count(*) AS waiting FROM {schema}.outbox GROUP BY part) AS by_part) AS waiting,
    (SELECT jsonb_object_agg(name, seq) FROM {schema}.checkpoint) AS checkpoints,
    (SELECT jsonb_object_agg(name, until > clock_timestamp()) FROM {schema}.lease) AS leases,
    (SELECT count(*) FROM {schema}.parked) AS parked
"""
_PART_NAMES = {"1": "facts", "2": "moves"}


@dataclass(frozen=True)
class SchemaLag:
    """Feed heads and unsequenced events by part, checkpoints, leases and whether they are held."""

    schema: str
    heads: dict[str, int]
    unsequenced: dict[str, int]
    checkpoints: dict[str, int]
    leases: dict[str, bool]
    parked: int


async def read_lag(connection: asyncpg.Connection[asyncpg.Record], schema: str) -> SchemaLag:
    """Return how the loops of a schema stand. `schema` is one of ours, never text from outside."""
    assert schema.isidentifier()
    await connection.set_type_codec("jsonb", schema="pg_catalog", encoder=json.dumps, decoder=json.loads)
    row = await connection.fetchrow(_QUERY.format(schema=schema))
    assert row is not None
    heads, waiting = row["heads"] or {}, row["waiting"] or {}
    return SchemaLag(
        schema,
        heads={name: heads.get(part, 0) for part, name in _PART_NAMES.items()},
        unsequenced={name: waiting.get(part, 0) for part, name in _PART_NAMES.items()},
        checkpoints=row["checkpoints"] or {},
        leases=row["leases"] or {},
        parked=row["parked"],
    )
