"""A naive check of a stopped installation's database: every fact counted once, everything adds up.

It shares no code with intake or projector: plain SQL, sums in Python, the civil calendar of `zoneinfo`. Only
the chain is recomputed by the library's own verifier, which is the definition of the chain.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC
from typing import Any, Final, TypeAlias
from zoneinfo import ZoneInfo

import asyncpg

from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.chain import CHAIN_START, Broken, verify_feed
from libs.eventstore.postgres.database import Database
from libs.pb.sparrow.match.v1 import match_event_pb2
from libs.pb.sparrow.tournament.v1 import tournament_event_pb2
from tests.support.board_checker import board_findings

SCHEMAS = ("account", "match", "mcr", "ledger", "tournament")
BUCHAREST = ZoneInfo("Europe/Bucharest")
LEASE_S = 1.0
LOG_FAULTS = {
    "events wait in the outbox": "SELECT count(*) FROM outbox",
    "events are missing in the feed": "SELECT (SELECT count(*) FROM event) - (SELECT count(*) FROM feed)",
    "streams have gaps": """
        SELECT count(*) FROM stream s
        WHERE version <> (SELECT count(*) FROM event e WHERE e.stream_id = s.stream_id)
    """,
}
STANDING = "SELECT * FROM ledger.transfer WHERE asset IS NOT NULL"
SESSIONS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'sparrow-%'
"""

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"


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
        wrong += await _prizes(connection)
        wrong += await _balances(connection)
        wrong += await board_findings(connection)
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
    """Each result has exactly its transfers, and each transfer exactly its event."""
    results = await connection.fetch(
        "SELECT e.* FROM match.event e JOIN match.feed f USING (part, stream_id, version)"
        " WHERE e.type = ANY($1) ORDER BY f.seq",
        list(EARNED),
    )
    owed: dict[str, Any] = {}
    for row in results:
        for key, points, reason in EARNED[row["type"]](row["data"]):
            cause = f"{row['stream_id']}/{row['version']}"
            owed.setdefault(key, (points, reason, row["occurred_at"], cause))
    rows = await connection.fetch(STANDING)
    posted = {
        row["key"]: (row["amount"], row["reason"], row["occurred_at"], row["cause"].rpartition(":")[2])
        for row in rows
        if row["key"].startswith("level/") or "/arena/" in row["key"] or row["key"] in owed
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


async def _prizes(connection: Connection) -> list[str]:
    """Each award of a tournament was paid once, each revoked one taken back once, and nothing else was."""
    told = await connection.fetch(
        "SELECT e.* FROM tournament.event e JOIN tournament.feed f USING (part, stream_id, version)"
        " WHERE e.type = ANY($1) ORDER BY f.seq",
        list(PRIZES),
    )
    owed: dict[str, tuple[str, int, str, Any]] = {}
    for row in told:
        is_award = "awarded" in row["type"]
        fact = PRIZES[row["type"]].FromString(row["data"])
        for award in fact.awards:
            prize, at = award.prize, fact.finish_time.ToDatetime(UTC)
            for asset, amount in (
                ("POINTS", prize.points),
                ("JOKER", prize.jokers),
                ("CUP", bool(prize.cup_kind)),
            ):
                key = f"tournament/{row['stream_id']}/prize/{award.number}/{asset}"
                sign, key = (1, key) if is_award else (-1, f"reversal/{key}")
                if amount:
                    owed[key] = (
                        f"players/{award.account_id}",
                        sign * amount,
                        prize.cup_kind * (asset == "CUP"),
                        at,
                    )
    posted = {
        row["key"]: (row["credit"], row["amount"], row["cup_kind"], row["occurred_at"])
        if row["credit"].startswith("players/")
        else (row["debit"], -row["amount"], row["cup_kind"], row["occurred_at"])
        for row in await connection.fetch(
            f"{STANDING} AND (key LIKE $1 OR key LIKE 'reversal/' || $1)", "tournament/%"
        )
    }
    return [
        f"{key} is owed {owed.get(key)} and posted {posted.get(key)}"
        for key in owed.keys() | posted.keys()
        if owed.get(key) != posted.get(key)
    ]


def _cleared(data: bytes) -> list[tuple[str, int, str]]:
    fact = match_event_pb2.AttemptCleared.FromString(data)
    first, bonus, level = fact.first_completion_points, fact.time_bonus_points, fact.level
    earned = [(f"level/{level}/first/{fact.account_id}", first, "LEVEL_FIRST")] if first else []
    return earned + (
        [(f"level/{level}/time/{bonus}/{fact.account_id}", bonus, "LEVEL_TIME")] if bonus else []
    )


def _quick_match(data: bytes) -> list[tuple[str, int, str]]:
    fact = match_event_pb2.QuickMatchEnded.FromString(data)
    return [
        (f"match/{fact.match_id}/quick/{seat.account_id}", seat.points, "QUICK_MATCH")
        for seat in fact.seats
        if seat.points
    ]


def _arena(data: bytes) -> list[tuple[str, int, str]]:
    fact = match_event_pb2.ArenaEnded.FromString(data)
    return [
        (f"match/{fact.match_id}/arena/{seat.account_id}", seat.points, "ARENA")
        for seat in fact.seats
        if seat.points
    ]


EARNED: Final[dict[str, Callable[[bytes], list[tuple[str, int, str]]]]] = {
    "sparrow.match.attempt_cleared.v1": _cleared,
    "sparrow.match.quick_match_ended.v1": _quick_match,
    "sparrow.match.arena_ended.v1": _arena,
}


PRIZES: Final[dict[str, Any]] = {
    "sparrow.tournament.prizes_awarded.v1": tournament_event_pb2.PrizesAwarded,
    "sparrow.tournament.prizes_revoked.v1": tournament_event_pb2.PrizesRevoked,
}


async def _balances(connection: Connection) -> list[str]:
    """Each asset sums to 0 over all accounts; kept balances are what the transfers say, and not below 0."""
    sums: Counter[tuple[str, str]] = Counter()
    for row in await connection.fetch(STANDING):
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
