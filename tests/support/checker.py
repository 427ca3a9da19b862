"""A naive check of a stopped installation's database: every fact counted once, everything adds up.

It shares no code with intake or projector: plain SQL, sums in Python, the civil calendar of `zoneinfo`. Only
the chain is recomputed by the library's own verifier, which is the definition of the chain.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date, timedelta
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

import asyncpg

from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.chain import CHAIN_START, Broken, verify_feed
from libs.eventstore.postgres.database import Database
from libs.pb.sparrow.match.v1 import match_event_pb2

SCHEMAS = ("account", "match", "ledger")
COUNTED = ("LEVEL_FIRST", "LEVEL_TIME", "QUICK_MATCH", "ARENA", "TOURNAMENT_PRIZE",
           "DAILY_BONUS", "DAILY_BONUS_DOUBLED")  # fmt: skip
BUCHAREST = ZoneInfo("Europe/Bucharest")
AMR, WEEKLY, DAILY = (1, "amr"), (2, "weekly"), (3, "daily")
LEASE_S = 1.0
LOG_FAULTS = {
    "events wait in the outbox": "SELECT count(*) FROM outbox",
    "events are missing in the feed": "SELECT (SELECT count(*) FROM event) - (SELECT count(*) FROM feed)",
    "streams have gaps": """
        SELECT count(*) FROM stream s
        WHERE version <> (SELECT count(*) FROM event e WHERE e.stream_id = s.stream_id)
    """,
}
SESSIONS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'sparrow-%'
"""

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"
Row = tuple[tuple[int, str], date, str]


async def findings(database_url: str, *, parked: int = 0, stopped: bool = True) -> list[str]:
    """Return what is wrong, in words; nothing when all is well. `parked` facts are expected to wait.

    `stopped`: no process of Sparrow runs on it, so nobody may hold a connection, a lease or a lock.
    """
    wrong: list[str] = []
    connection = await asyncpg.connect(database_url)
    try:
        if stopped:
            wrong += await _left_behind(connection)
        for schema in SCHEMAS:
            wrong += await _feeds(database_url, schema)
        wrong += await _transfers(connection, parked)
        wrong += await _balances(connection)
        wrong += await _boards(connection)
    finally:
        await connection.close()
    return wrong


async def _feeds(database_url: str, schema: str) -> list[str]:
    """Gapless, chained up to the head, complete, and nothing left in the outbox."""
    wrong = []
    async with _opened(database_url, schema) as database:
        for part in Part:
            try:
                entries = [entry async for entry in _entries(database, part)]
            except AssertionError as error:
                wrong.append(f"{schema} {part}: {error}")
                continue
            end = verify_feed(entries, CHAIN_START)
            head = await database.feed.head(part)
            if isinstance(end, Broken):
                wrong.append(f"{schema} {part}: {end}")
            elif (head.last_seq, head.chain) != ((end.seq, end.chain) if end else (0, CHAIN_START)):
                wrong.append(f"{schema} {part}: the head {head.last_seq} is not the end of the feed")
        for what, query in LOG_FAULTS.items():
            if count := await database.pool.fetchval(query):
                wrong.append(f"{schema}: {count} {what}")
    return wrong


async def _left_behind(connection: Connection) -> list[str]:
    wrong = []
    count: int = await connection.fetchval(SESSIONS)
    for _ in range(20):
        if count == 0:
            break
        await asyncio.sleep(0.1)  # the server hears of a killed client in a moment
        count = await connection.fetchval(SESSIONS)
    else:
        wrong.append(f"{count} sessions are left")
    for schema in SCHEMAS:
        late = f"SELECT name FROM {schema}.lease WHERE until > clock_timestamp() + make_interval(secs => $1)"
        wrong += [f"{schema}: the lease {row[0]} is held" for row in await connection.fetch(late, LEASE_S)]
    return wrong


async def _transfers(connection: Connection, parked: int) -> list[str]:
    """Each cleared attempt has exactly its transfers, and each transfer exactly its event."""
    cleared = await connection.fetch(
        "SELECT e.* FROM match.event e JOIN match.feed f USING (part, stream_id, version)"
        " WHERE e.type = 'sparrow.match.attempt_cleared.v1' ORDER BY f.seq"
    )
    owed: dict[str, Any] = {}
    for row in cleared:
        for key, points, reason in _earned(row["data"]):
            cause = f"{row['stream_id']}/{row['version']}"
            owed.setdefault(key, (points, reason, row["occurred_at"], cause))
    rows = await connection.fetch("SELECT * FROM ledger.transfer")
    posted = {
        row["key"]: (row["amount"], row["reason"], row["occurred_at"], row["cause"].rpartition(":")[2])
        for row in rows
        if row["key"].startswith("level/")
    }
    wrong = [
        f"{key} is owed {owed[key]} and posted {posted.get(key)}"
        for key in owed
        if posted.get(key) != owed[key]
    ]
    wrong += [f"{key} was never earned" for key in posted.keys() - owed.keys()]
    wrong += [
        f"{row['key']} counts for {row['day']}"
        for row in rows
        if row["occurred_at"].astimezone(BUCHAREST).date() != row["day"]
        and not row["key"].startswith("reversal/")
    ]
    events = await connection.fetchval(
        "SELECT count(*) FROM ledger.event WHERE type LIKE '%.transfer_posted.v1'"
    )
    if events != len(rows):
        wrong.append(f"{len(rows)} transfers have {events} events")
    waiting = await connection.fetch("SELECT consumer, seq, reason FROM ledger.parked")
    if len(waiting) != parked:
        wrong.append(f"parked: {[tuple(row) for row in waiting]}")
    return wrong


def _earned(data: bytes) -> list[tuple[str, int, str]]:
    fact = match_event_pb2.AttemptCleared.FromString(data)
    first, bonus, level = fact.first_completion_points, fact.time_bonus_points, fact.level
    earned = [(f"level/{level}/first/{fact.account_id}", first, "LEVEL_FIRST")] if first else []
    return earned + (
        [(f"level/{level}/time/{bonus}/{fact.account_id}", bonus, "LEVEL_TIME")] if bonus else []
    )


async def _balances(connection: Connection) -> list[str]:
    """Each asset sums to 0 over all accounts; kept balances are what the transfers say, and not below 0."""
    sums: Counter[tuple[str, str]] = Counter()
    for row in await connection.fetch("SELECT * FROM ledger.transfer"):
        sums[row["asset"], row["debit"]] -= row["amount"]
        sums[row["asset"], row["credit"]] += row["amount"]
    total: Counter[str] = Counter()
    for (asset, _), amount in sums.items():
        total[asset] += amount
    wrong = [f"{asset} sums to {amount}" for asset, amount in total.items() if amount]
    kept = {
        (row["asset"], row["account"]): row["amount"]
        for row in await connection.fetch("SELECT * FROM ledger.balance")
    }
    for (asset, account), amount in sums.items():
        if (
            asset in ("JOKER", "CHIP")
            and account.startswith("players/")
            and kept.get((asset, account)) != amount
        ):
            wrong.append(f"{account} has {amount} {asset} and the balance {kept.get((asset, account))}")
    return wrong + [f"the balance {holder} is {amount}" for holder, amount in kept.items() if amount < 0]


async def _boards(connection: Connection) -> list[str]:
    """Rows, digest and counters are those of a sum over all transfers; the boards have seen every fact."""
    generation = await connection.fetchval("SELECT generation FROM ledger.active_generation")
    state = await connection.fetchrow("SELECT * FROM ledger.board_state WHERE generation = $1", generation)
    rows = await connection.fetch(f"SELECT * FROM ledger.board_row_g{generation}")
    counts = await connection.fetch(f"SELECT * FROM ledger.board_count_g{generation}")
    behind = await connection.fetchval(
        "SELECT last_seq - coalesce((SELECT seq FROM ledger.checkpoint WHERE name = $1), 0)"
        " FROM ledger.feed_head WHERE part = 1", f"boards_g{generation}",
    )  # fmt: skip
    assert state is not None
    expected = await _sums(connection, state["as_of_day"])
    shown = {(row["board"], row["day"], str(row["account"])): row["points"] for row in rows}
    wrong = [f"the boards are {behind} facts behind"] if behind else []
    if shown != {(board[0], day, account): points for (board, day, account), points in expected.items()}:
        wrong.append(f"the boards are not the sums of the transfers: {len(shown)} rows, {len(expected)} sums")
    digest = sum(
        int.from_bytes(hashlib.sha256(f"{board[1]}|{day.isoformat()}|{account}|{points}".encode()).digest())
        for (board, day, account), points in expected.items()
    ) % (1 << 256)
    if int.from_bytes(state["digest"]) != digest:
        wrong.append("the digest is not that of the sums")
    players: Counter[tuple[int, date, bool, int]] = Counter()
    for (board, day, _), points in expected.items():
        players[board[0], day, True, points // 256] += 1
        players[board[0], day, False, points] += 1
    if players != {tuple(row)[:4]: row["players"] for row in counts}:
        wrong.append("the counters of ranks are not those of the sums")
    return wrong


async def _sums(connection: Connection, as_of_day: date | None) -> dict[Row, int]:
    sums: Counter[Row] = Counter()
    for transfer in await connection.fetch("SELECT * FROM ledger.transfer WHERE asset = 'POINTS'"):
        if transfer["reason"] not in COUNTED:
            continue
        day: date = transfer["day"]
        sheets = [(DAILY, day), (WEEKLY, day - timedelta(days=day.weekday()))]
        if as_of_day is not None and as_of_day - timedelta(days=364) <= day <= as_of_day:
            sheets.append((AMR, date.min))
        for side, sign in (("debit", -1), ("credit", 1)):
            kind, _, account = transfer[side].partition("/")
            if kind == "players":
                for board, first_day in sheets:
                    sums[board, first_day, account] += sign * transfer["amount"]
    return {row: points for row, points in sums.items() if points}


async def _entries(database: Database, part: Part) -> AsyncIterator[FeedEntry]:
    seq = 1
    while page := await database.feed.read(part, seq):
        for entry in page:
            yield entry
        seq = page[-1].seq + 1


@asynccontextmanager
async def _opened(database_url: str, schema: str) -> AsyncIterator[Database]:
    database = await Database.open(database_url, schema)
    try:
        yield database
    finally:
        await database.close()
