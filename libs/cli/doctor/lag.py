"""How far the loops are behind: sequencers, relays, consumers, projectors; and whether anybody holds them."""

from __future__ import annotations

import asyncio

import asyncpg

from libs.cli.doctor.verdict import Finding
from libs.eventstore.lag import SchemaLag, read_lag

SCHEMAS = ("account", "match", "mcr", "ledger", "tournament")
BEHIND_MAX = 1_000
"""So many events are a moment's work; more means that a loop does not keep up."""
LOOKS = 4
"""A process that was just started again takes its leases within a second or two."""
_BOARDS = "boards_g"
_ACTIVE = "SELECT generation FROM ledger.active_generation"
_FOLLOWS = {
    "relay.facts": (None, "facts"),
    "relay.moves": (None, "moves"),
    "ledger-intake": ("match", "facts"),
    "ledger-table-intake": ("mcr", "facts"),
    "fair-play": (None, "facts"),
    "history": (None, "facts"),
    "ledger-account-intake": ("account", "facts"),
    "ledger-prize-intake": ("tournament", "facts"),
    "tournament-match-intake": ("match", "facts"),
}
"""Checkpoint -> the schema (none: its own) and the part of the feed that it follows."""


async def check_lag(url: str) -> list[Finding]:
    """Compare every checkpoint with the head of the feed it follows; look again while something is behind."""
    findings: list[Finding] = []
    for look in range(LOOKS):
        if look:
            await asyncio.sleep(1)
        try:
            findings = _judge(await _read(url))
        except (OSError, asyncpg.PostgresError) as error:
            return [Finding("feeds", ok=False, detail=f"cannot be read: {error}")]
        if all(finding.ok for finding in findings):
            break
    return findings


async def _read(url: str) -> dict[str, SchemaLag]:
    connection = await asyncpg.connect(url, timeout=3)
    try:
        lags = {schema: await read_lag(connection, schema) for schema in SCHEMAS}
        live = f"{_BOARDS}{await connection.fetchval(_ACTIVE)}"
        boards = lags["ledger"].checkpoints
        for checkpoint in [name for name in boards if name.startswith(_BOARDS) and name != live]:
            del boards[checkpoint]  # of a generation that is being built, or was left: nobody waits for it
        return lags
    finally:
        await connection.close()


def _judge(lags: dict[str, SchemaLag]) -> list[Finding]:
    findings = [
        _feed(lag, part) for lag in lags.values() for part in ("facts", "moves") if _is_used(lag, part)
    ]
    for lag in lags.values():
        for checkpoint, seq in sorted(lag.checkpoints.items()):
            findings += _follower(lags, lag, checkpoint, seq)
    loops = {f"{lag.schema}:{name}": held for lag in lags.values() for name, held in lag.leases.items()}
    idle = sorted(name for name, held in loops.items() if not held)
    held = bool(loops) and not idle
    detail = f"{len(loops)} are at work" if held else f"nobody does: {', '.join(idle) or 'any of them'}"
    findings.append(Finding("loops", held, detail, {"idle": idle}))
    parked = sum(lag.parked for lag in lags.values())
    findings.append(
        Finding("parked", parked == 0, f"{parked} events wait for an operator", {"parked": parked})
    )
    return findings


def _is_used(lag: SchemaLag, part: str) -> bool:
    return part == "facts" or lag.heads[part] > 0 or lag.unsequenced[part] > 0


def _feed(lag: SchemaLag, part: str) -> Finding:
    behind = lag.unsequenced[part]
    name = f"{lag.schema}.{part}"
    detail = f"{lag.heads[part]} events, sequencer {behind} behind"
    return Finding(f"feed {name}", behind <= BEHIND_MAX, detail, {"head": lag.heads[part], "behind": behind})


def _follower(lags: dict[str, SchemaLag], lag: SchemaLag, checkpoint: str, seq: int) -> list[Finding]:
    """Return how far a checkpoint is behind its feed; nothing for one that this program does not know."""
    followed = (None, "facts") if checkpoint.startswith(_BOARDS) else _FOLLOWS.get(checkpoint)
    if followed is None:
        return []
    schema, part = followed
    behind = max(0, lags[schema or lag.schema].heads[part] - seq)
    name = f"{lag.schema} {checkpoint}"
    detail = f"at {seq} of {schema or lag.schema}.{part}, {behind} behind"
    return [Finding(name, behind <= BEHIND_MAX, detail, {"at": seq, "behind": behind})]
