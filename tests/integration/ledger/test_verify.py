"""Damage is found and named, whatever it is; where it is of the boards, a rebuild mends it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from services.ledger.assets import HOUSE_JOKERS, Asset, player_account
from services.ledger.commands import PostTransfer
from services.ledger.projections.rebuilding.differences import Fault
from services.ledger.projections.rebuilding.progress import Progress
from services.ledger.projections.rebuilding.rebuild import Rebuild
from services.ledger.projections.rebuilding.verification import Verification, Verified
from tests.support.ledger_bench import LedgerBench, points_order

FIRST = "00000000-0000-0000-0000-000000000001"
OF_BOARDS: dict[str, tuple[str, dict[str, Any]]] = {
    "a row of the year is higher": (
        f"UPDATE board_row_g2 SET points = points + 1 WHERE board = 1 AND account = '{FIRST}'",
        {"kind": "row", "board": 1, "account": FIRST, "stored": "22", "expected": "21"},
    ),
    "a row of a week is missing": (
        f"DELETE FROM board_row_g2 WHERE board = 2 AND account = '{FIRST}'",
        {"kind": "row", "board": 2, "account": FIRST, "stored": "", "expected": "21"},
    ),
    "a row of nobody": (
        "INSERT INTO board_row_g2 VALUES (3, '2026-03-02', '00000000-0000-0000-0000-0000000000ff', 9)",
        {"kind": "row", "board": 3, "stored": "9", "expected": ""},
    ),
    "a count is off": (
        "UPDATE board_count_g2 SET players = players + 1 WHERE board = 1 AND NOT coarse AND bucket = 21",
        {"kind": "count", "board": 1, "name": "fine 21", "stored": "3", "expected": "2"},
    ),
    "an entry is missing": (
        f"DELETE FROM board_entry_g2 WHERE account = '{FIRST}' AND points = 7",
        {"kind": "entry", "account": FIRST, "stored": ""},
    ),
    "an entry occurred at another time": (
        f"UPDATE board_entry_g2 SET occurred_at = now() WHERE account = '{FIRST}' AND points = 7",
        {"kind": "entry", "account": FIRST},
    ),
    "a history is another": (
        "UPDATE board_history_g2 SET players[1] = 77 WHERE board = 1",
        {"kind": "history", "board": 1},
    ),
    "the digest is another": (
        "UPDATE board_state SET digest = decode(repeat('00', 32), 'hex')",
        {"kind": "digest", "name": "kept"},
    ),
    "the boards show another day": (
        "UPDATE board_state SET as_of_day = as_of_day + 1",
        {"kind": "day", "stored": "2026-03-04", "expected": "2026-03-03"},
    ),
}
OF_THE_LOG: dict[str, tuple[str, dict[str, Any]]] = {
    "bytes of the log changed": (
        (
            "UPDATE event SET data = data || '\\x5a00' WHERE (stream_id, version) IN"
            " (SELECT stream_id, version FROM feed WHERE seq = 3)"
        ),
        {"kind": "chain", "seq": 3, "name": "its chain value is another"},
    ),
    "an event is gone": (
        "DELETE FROM event WHERE (stream_id, version) IN (SELECT stream_id, version FROM feed WHERE seq = 3)",
        {"kind": "chain", "seq": 4, "name": "follows on 2"},
    ),
    "an event lost its place": (
        "DELETE FROM feed WHERE seq = (SELECT max(seq) FROM feed)",
        {"kind": "chain", "name": "events have no place in the feed", "stored": "1"},
    ),
    "the head is elsewhere": (
        "UPDATE feed_head SET last_seq = last_seq + 1 WHERE part = 1",
        {"kind": "chain", "name": "the head is not the end of the feed"},
    ),
    "a transfer is of more": (
        "UPDATE transfer SET amount = amount + 1 WHERE key = 'match/0/quick'",
        {"kind": "transfer", "name": "match/0/quick amount", "stored": "6", "expected": "5"},
    ),
    "a transfer is gone": (
        "DELETE FROM transfer WHERE key = 'match/0/quick'",
        {"kind": "transfer", "name": "match/0/quick amount", "stored": "", "expected": "5"},
    ),
    "a transfer of nothing": (
        (
            "INSERT INTO transfer (key, asset, debit, credit, amount, reason, occurred_at, day,"
            " time_zone_data, posted_at, cause, reverses, cup_kind) SELECT 'smuggled', asset, debit,"
            " credit, amount, reason, occurred_at, day, time_zone_data, posted_at, cause, reverses, cup_kind"
            " FROM transfer LIMIT 1"
        ),
        {"kind": "transfer", "name": "smuggled"},
    ),
    "a balance is higher": (
        "UPDATE balance SET amount = amount + 1",
        {
            "kind": "balance",
            "account": player_account(FIRST),
            "name": "JOKER",
            "stored": "4",
            "expected": "3",
        },
    ),
}


async def a_busy_day(bench: LedgerBench) -> None:
    """Post points, table points and jokers, take one back, and roll over a midnight."""
    now = bench.clock.now()
    await bench.post(
        *(
            points_order(UUID(int=1 + number % 7), 5 + number % 5, now, key=f"match/{number}/quick")
            for number in range(20)
        )
    )
    await bench.post(points_order(UUID(int=1), -8, now, reason="MCR"))
    jokers = PostTransfer(
        key="joker/1",
        asset=Asset.JOKER,
        debit=HOUSE_JOKERS,
        credit=player_account(FIRST),
        amount=3,
        reason="PURCHASE",
        occurred_at=now,
        recorded_at=now,
        cause="",
    )
    await bench.post(jokers)
    await bench.settle()
    bench.clock.advance(timedelta(days=1))
    await bench.settle()


async def damage(database_url: str, statement: str) -> None:
    """Change what the service never changes."""
    settings = {"search_path": "ledger", "session_replication_role": "replica"}
    connection = await asyncpg.connect(database_url, server_settings=settings)
    assert (await connection.execute(statement)).split()[-1] != "0"
    await connection.close()


async def verified(database_url: str) -> Verified:
    """Verify the ledger."""
    return await Verification(database_url, Progress()).run()


def names(fault: Fault, wanted: dict[str, Any]) -> bool:
    """Whether a fault is the one that was made."""
    return all(getattr(fault, name) == value for name, value in wanted.items())


async def test_a_sound_ledger_has_no_faults(bench: LedgerBench, database_url: str) -> None:
    """What was read is counted; nothing is left behind in the database."""
    await a_busy_day(bench)

    found = await verified(database_url)

    assert (found.faults.named, found.faults.count) == ([], 0)
    assert (found.events, found.transfers, found.entries) == (24, 22, 21)
    assert found.rows == await bench.count("SELECT count(*) FROM board_row_g2") > 0
    assert found.digest == found.stored_digest
    assert await bench.count("SELECT count(*) FROM pg_class WHERE relname LIKE 'expected%'") == 0


@pytest.mark.parametrize("what", OF_BOARDS)
async def test_damage_of_the_boards_is_named_and_mended(
    what: str, bench: LedgerBench, database_url: str
) -> None:
    """By board, day and account, with what is stored and what should be; a rebuild names the same."""
    await a_busy_day(bench)
    statement, wanted = OF_BOARDS[what]
    await damage(database_url, statement)

    found = await verified(database_url)
    done = await Rebuild(database_url, Progress()).run()
    after = await verified(database_url)

    assert any(names(fault, wanted) for fault in found.faults.named), found.faults.named
    assert found.faults.count <= 2
    assert done.switched and done.faults.count >= 1
    assert after.faults.named == []
    assert after.generation == 3


@pytest.mark.parametrize("what", OF_THE_LOG)
async def test_damage_of_log_and_journal_is_named(what: str, bench: LedgerBench, database_url: str) -> None:
    """By place in the feed, key or account."""
    await a_busy_day(bench)
    statement, wanted = OF_THE_LOG[what]
    await damage(database_url, statement)

    found = await verified(database_url)

    assert any(names(fault, wanted) for fault in found.faults.named), found.faults.named
