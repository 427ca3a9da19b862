"""The boards' part of the naive check: sums over all transfers, sharing no code with the projector."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TypeAlias

import asyncpg
from google.protobuf.message import DecodeError

from libs.pb.sparrow.ledger.v1 import ledger_event_pb2

COUNTED = ("LEVEL_FIRST", "LEVEL_TIME", "QUICK_MATCH", "ARENA", "TOURNAMENT_PRIZE",
           "DAILY_BONUS", "DAILY_BONUS_DOUBLED")  # fmt: skip
# Names by number, and the three windows of each family.
NAMES = {1: "amr", 2: "weekly", 3: "daily", 4: "mcr_year", 5: "mcr_weekly", 6: "mcr_daily", 7: "race_rating",
         8: "mcr_ai_year", 9: "mcr_ai_weekly", 10: "mcr_ai_daily"}  # fmt: skip
POINTS, MCR, RATING, MCR_AI = 1, 2, 3, 4
YEAR_WEEK_DAY = {POINTS: (1, 2, 3), MCR: (4, 5, 6), MCR_AI: (8, 9, 10)}
TABLE_POINTS = {"MCR": MCR, "MCR_AI": MCR_AI}
FEED = """
    SELECT f.seq, e.type, e.data FROM ledger.feed f JOIN ledger.event e USING (part, stream_id, version)
    WHERE f.part = 1 ORDER BY f.seq
"""

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"
Row = tuple[int, date, str]


@dataclass(frozen=True)
class Side:
    """One player's side of a transfer that counts."""

    seq: int
    family: int
    day: date
    account: str
    points: int
    occurred_at: datetime


async def board_findings(connection: Connection) -> list[str]:
    """Say where the active boards are not what the transfers and closings of the feed make."""
    generation = await connection.fetchval("SELECT generation FROM ledger.active_generation")
    state = await connection.fetchrow("SELECT * FROM ledger.board_state WHERE generation = $1", generation)
    rows, counts, entries, histories = [
        await connection.fetch(f"SELECT * FROM ledger.board_{table}_g{generation}")
        for table in ("row", "count", "entry", "history")
    ]
    behind = await connection.fetchval(
        "SELECT last_seq - coalesce((SELECT seq FROM ledger.checkpoint WHERE name = $1), 0)"
        " FROM ledger.feed_head WHERE part = 1", f"boards_g{generation}",
    )  # fmt: skip
    assert state is not None
    sides = await _sides(connection)
    expected = _sums(sides, state["as_of_day"])
    wrong = [f"the boards are {behind} facts behind"] if behind else []
    if {(row["board"], row["day"], str(row["account"])): row["points"] for row in rows} != expected:
        wrong.append(f"the boards are not the sums of the transfers: {len(rows)} rows, {len(expected)} sums")
    if int.from_bytes(state["digest"]) != _digest(expected):
        wrong.append("the digest is not that of the sums")
    players: Counter[tuple[int, date, bool, int]] = Counter()
    for (board, day, _), points in expected.items():
        players[board, day, True, points // 256] += 1
        players[board, day, False, points] += 1
    if players != {tuple(row)[:4]: row["players"] for row in counts}:
        wrong.append("the counters of ranks are not those of the sums")
    if Counter(Side(row["seq"], row["family"], row["day"], str(row["account"]), row["points"],
                    row["occurred_at"]) for row in entries) != Counter(sides):  # fmt: skip
        wrong.append("the entries are not the players' sides of the transfers")
    kept = {
        (row["closed_day"], row["board"]): (row["seq"], row["points"], row["players"]) for row in histories
    }
    if kept != await _histories(connection, sides):
        wrong.append("the histories are not the boards of the ended days")
    return wrong


async def _sides(connection: Connection) -> list[Side]:
    transfers = {row["key"]: row for row in await connection.fetch("SELECT * FROM ledger.transfer")}
    sides = []
    for seq, type_, data in await connection.fetch(FEED):
        if type_ != "sparrow.ledger.transfer_posted.v1":
            continue
        try:
            transfer = transfers.get(ledger_event_pb2.TransferPosted.FromString(data).key)
        except DecodeError:
            continue  # the chain's check tells; its sums are missing
        if transfer is None or (family := _family(transfer["asset"], transfer["reason"])) is None:
            continue
        for side, sign in (("debit", -1), ("credit", 1)):
            kind, _, account = transfer[side].partition("/")
            if kind == "players":
                points = sign * transfer["amount"]
                sides.append(Side(seq, family, transfer["day"], account, points, transfer["occurred_at"]))
    return sides


def _family(asset: str, reason: str) -> int | None:
    if asset == "RATING":
        return RATING
    if asset == "POINTS":
        return POINTS if reason in COUNTED else TABLE_POINTS.get(reason)
    return None


def _sums(sides: Sequence[Side], as_of_day: date | None) -> dict[Row, int]:
    sums: Counter[Row] = Counter()
    for side in sides:
        for board, day in _sheets(side, as_of_day):
            sums[board, day, side.account] += side.points
    return {row: points for row, points in sums.items() if points}


def _sheets(side: Side, as_of_day: date | None) -> Iterator[tuple[int, date]]:
    if side.family == RATING:
        yield 7, date.min
        return
    year, week, daily = YEAR_WEEK_DAY[side.family]
    yield daily, side.day
    yield week, side.day - timedelta(days=side.day.weekday())
    if as_of_day is not None and as_of_day - timedelta(days=364) <= side.day <= as_of_day:
        yield year, date.min


def _digest(sums: dict[Row, int]) -> int:
    return sum(
        int.from_bytes(
            hashlib.sha256(f"{NAMES[board]}|{day.isoformat()}|{account}|{points}".encode()).digest()
        )
        for (board, day, account), points in sums.items()
    ) % (1 << 256)


async def _histories(
    connection: Connection, sides: Sequence[Side]
) -> dict[tuple[date, int], tuple[int, list[int], list[int]]]:
    """Return what each closing but the first keeps of each board: the day before it was the one shown."""
    histories: dict[tuple[date, int], tuple[int, list[int], list[int]]] = {}
    shown = None
    for seq, type_, data in await connection.fetch(FEED):
        if type_ != "sparrow.ledger.ledger_day_closed.v1":
            continue
        closed = date.fromisoformat(ledger_event_pb2.LedgerDayClosed.FromString(data).day)
        if shown is not None and closed != shown:
            continue
        if shown is not None:
            sums = _sums([side for side in sides if side.seq < seq], closed)
            for board in NAMES:
                first_day = _first_day(board, closed)
                players = Counter(points for row, points in sums.items() if row[:2] == (board, first_day))
                rising = sorted(players)
                at_least = [sum(players[more] for more in rising[place:]) for place in range(len(rising))]
                histories[closed, board] = (seq, rising, at_least)
        shown = closed + timedelta(days=1)
    return histories


def _first_day(board: int, shown: date) -> date:
    """Return the day that a board's rows are kept under while a day is shown."""
    if board in {3, 6, 10}:
        return shown
    return shown - timedelta(days=shown.weekday()) if board in {2, 5, 9} else date.min
