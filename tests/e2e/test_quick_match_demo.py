"""Quick matches of a demo: right on the boards through a crash, and verified from their events."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import asyncpg
import pytest

from libs.cli.demo.player import Pace
from libs.cli.demo.report import document
from libs.cli.demo.run import Demo, Plan
from libs.cli.doctor.machine import database_url
from libs.client.rounds import Mode
from libs.runtime.config import Settings
from libs.runtime.data_folder import read_announcement
from tests.support.installation import Installation
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(240)
PLAYERS, MATCHES_BEFORE, MATCHES_AFTER = 6, 1, 4
WITHIN_S = 90.0

LAST_PAIR = """
SELECT stream_id, version, data FROM match.event
WHERE type = 'sparrow.match.seat_removed_pair.v1' AND stream_id = (
    SELECT stream_id FROM match.event WHERE type = 'sparrow.match.round_dealt.v1'
    AND position($1::bytea IN data) > 0)
ORDER BY version DESC LIMIT 1
"""
UNGUARDED = "SET session_replication_role = replica"
"""The database refuses changes of facts; who owns it can get around that."""
REWRITE = "UPDATE match.event SET data = $3 WHERE stream_id = $1 AND version = $2"


def _demo(installation: Installation) -> Demo:
    pace = Pace(think_ms=20, patience_s=30)
    plan = Plan(installation.endpoint, PLAYERS, WITHIN_S, seed=11, pace=pace, live=False, quick=PLAYERS)
    return Demo(plan)


async def _verify(installation: Installation, match: str) -> tuple[int, dict[str, bool]]:
    """Run `sparrow verify`; return its exit code and what was right."""
    done = await asyncio.to_thread(installation.sparrow, "verify", match, "--json")
    told = json.loads(done.stdout)
    return done.returncode, {finding["what"]: finding["ok"] for finding in told["findings"]}


async def _replay(installation: Installation) -> dict[str, Any]:
    """Run every match again from its events; the exit code says whether any came out otherwise."""
    done = await asyncio.to_thread(installation.sparrow, "replay", "--from", "2026-01-01", "--json")
    told: dict[str, Any] = json.loads(done.stdout)
    assert (done.returncode == 1) == (told["differences"] > 0)
    return told


async def test_quick_matches_survive_a_crash_and_can_be_verified(sparrow_server: Installation) -> None:
    """The serving process dies in mid-match: boards are right, and each match follows from its events.

    A pair that is rewritten in the database afterwards is found.
    """
    demo = _demo(sparrow_server)
    running = asyncio.create_task(demo.run())
    await until(lambda: demo.journal.matches(Mode.QUICK) >= MATCHES_BEFORE or running.done(), WITHIN_S)
    sparrow_server.kill("serving")
    enough = demo.journal.matches(Mode.QUICK) + MATCHES_AFTER
    await until(lambda: demo.journal.matches(Mode.QUICK) >= enough or running.done(), WITHIN_S)
    demo.stop.set()
    report = await running

    assert report.equal, document(report)
    matches = sorted({match for match, _player in demo.journal.seats})
    for match in matches:
        code, right = await _verify(sparrow_server, match)
        assert (code, set(right.values())) == (0, {True}), (match, right)
    replayed = await _replay(sparrow_server)
    assert replayed["differences"] == 0, replayed
    assert replayed["matches"] >= len(matches), replayed  # other tests play on the same installation
    await _a_rewritten_pair_is_found(sparrow_server, matches)


async def _a_rewritten_pair_is_found(installation: Installation, matches: list[str]) -> None:
    """Change one byte of a pair's stored event, look, and put it back."""
    url = database_url(read_announcement(installation.data_dir), Settings(data_dir=installation.data_dir))
    assert url is not None
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(UNGUARDED)
        for match in matches:
            row = await connection.fetchrow(LAST_PAIR, match.removeprefix("matches/").encode())
            if row is None:
                continue  # nobody found a pair
            stream_id, version, data = row
            await connection.execute(REWRITE, stream_id, version, _worth_more(data))
            code, right = await _verify(installation, match)
            replayed = await _replay(installation)
            await connection.execute(REWRITE, stream_id, version, data)
            assert (code, right["scores"]) == (1, False)
            assert [each["game"] for each in replayed["named"]] == [match]
            return
    finally:
        await connection.close()
    pytest.fail("no match had a pair")


def _worth_more(data: bytes) -> bytes:
    """The stored pair, 1 point better: a field that comes again in protobuf takes the first one's place."""
    worth_is_301 = bytes([4 << 3, 0xAD, 0x02])
    return data + worth_is_301
