"""The event log as analysts get it from a whole Sparrow: exports, boards in SQL, and the live log."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from base64 import b64encode
from collections import defaultdict
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from libs.cli.doctor.machine import database_url
from libs.cli.events.database import open_database
from libs.cli.events.reading import read_entries
from libs.client.client import SparrowClient
from libs.client.game import Game
from libs.eventsourcing.envelope import Part
from libs.pb.sparrow.match.v1 import round_event_pb2
from libs.runtime.config import REPOSITORY, Settings
from libs.runtime.data_folder import read_announcement
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(300)

DEALT = """
SELECT data FROM match.event
WHERE type = 'sparrow.match.round_dealt.v1' AND position($1::bytea IN data) > 0
"""
FEED = "SELECT seq, stream_id, version, chain FROM {}.feed WHERE part = $1 ORDER BY seq"
BOARD = """
SELECT account, CAST(sum(amount) AS BIGINT) AS points FROM entries
WHERE asset = 'POINTS' AND account LIKE 'players/%' AND day BETWEEN '{}' AND '{}'
  AND reason IN ('LEVEL_FIRST', 'LEVEL_TIME', 'QUICK_MATCH', 'ARENA', 'TOURNAMENT_PRIZE',
                 'DAILY_BONUS', 'DAILY_BONUS_DOUBLED')
GROUP BY account HAVING points <> 0 ORDER BY points DESC, account
"""
EXPORTS_MAX = 5
PARTS = {Part.FACTS: 1, Part.MOVES: 2}


@pytest.fixture(scope="module")
def played(sparrow_server: Installation) -> Installation:
    """Levels and quick matches were played, and nobody plays any more."""
    done = sparrow_server.sparrow("demo", "--players", "6", "--seconds", "6", "--seed", "5", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    return sparrow_server


def export(installation: Installation, folder: Path, encoding: str, *arguments: str) -> Path:
    """Export into a new folder and check it, both by the command line."""
    done = installation.sparrow(
        "events", "export", "--format", encoding, "--out", str(folder), *arguments, "--json"
    )
    assert (done.returncode, done.stderr) == (0, "")
    checked = installation.sparrow("events", "check", str(folder))
    assert checked.returncode == 0, checked.stdout
    return folder


async def database_of(installation: Installation) -> asyncpg.Connection[Any]:
    """A connection to what the services write."""
    url = database_url(read_announcement(installation.data_dir), Settings(data_dir=installation.data_dir))
    assert url is not None
    return await asyncpg.connect(url)


async def seed_of(installation: Installation, game: Game) -> bytes:
    """The seed of a match, as only the database knows it."""
    connection = await database_of(installation)
    try:
        data = await connection.fetchval(DEALT, game.name.removeprefix("matches/").encode())
        return round_event_pb2.RoundDealt.FromString(data).seed
    finally:
        await connection.close()


def content_of(folder: Path) -> bytes:
    """All bytes of an export, compressed columns unpacked."""
    raw = b"".join(path.read_bytes() for path in sorted(folder.iterdir()))
    with open_database(folder) as database:
        for row in database.execute("SELECT * FROM events").fetchall():
            raw += b"".join(cell if isinstance(cell, bytes) else str(cell).encode() for cell in row)
    return raw


async def test_the_deal_of_a_running_match_is_in_no_export_until_it_ends(
    played: Installation, client: SparrowClient, tmp_path: Path
) -> None:
    """Two play while the log is exported in both formats; when they are done it is exported again."""
    async with await SparrowClient.connect(played.endpoint) as rival:
        mine, theirs = await asyncio.gather(client.find_match(), rival.find_match())
        seed = await seed_of(played, mine)
        for encoding in ("parquet", "jsonl"):
            folder = await asyncio.to_thread(export, played, tmp_path / encoding, encoding)
            content = content_of(folder)
            assert mine.name.removeprefix("matches/").encode() in content, "the match itself is there"
            for form in (seed, seed.hex().encode(), seed.hex().upper().encode(), b64encode(seed)[:40]):
                assert form not in content
        await _end(mine, theirs)
    after = await asyncio.to_thread(export, played, tmp_path / "after", "jsonl", "--services", "match")

    assert seed.hex().encode() in content_of(after)


async def _end(*games: Game) -> None:
    """Leave, once the signal was given, and read until it is over."""
    for game in games:
        async for _message in game.watch():
            if game.board.faces:
                await game.leave()
                break


async def test_an_export_equals_the_feeds_of_the_database(played: Installation, tmp_path: Path) -> None:
    """Every entry that was there when it began, with its place and chain value, in both formats."""
    before = await feeds_of(played)
    one = await asyncio.to_thread(export, played, tmp_path / "one", "parquet")
    two = await asyncio.to_thread(export, played, tmp_path / "two", "jsonl")
    after = await feeds_of(played)

    for (service, part), rows in after.items():
        for folder in (one, two):
            entries = [each.entry for each in read_entries(folder, service, part)]
            found = [(e.seq, e.event.stream_id, e.event.version, e.chain) for e in entries]
            assert len(before[service, part]) <= len(found)
            assert found == rows[: len(found)]
    assert len(after["match", Part.MOVES]) > 300


async def feeds_of(installation: Installation) -> dict[tuple[str, Part], list[tuple[Any, ...]]]:
    """What the database holds of every feed."""
    connection = await database_of(installation)
    try:
        return {
            (service, part): [tuple(row) for row in await connection.fetch(FEED.format(service), number)]
            for service in ("account", "ledger", "match", "mcr", "tournament")
            for part, number in PARTS.items()
        }
    finally:
        await connection.close()


async def test_boards_folded_in_sql_equal_the_boards_of_the_ledger(
    played: Installation, tmp_path: Path
) -> None:
    """All three, player by player, from the transfers of an export alone."""
    boards: list[tuple[list[tuple[str, int]], list[tuple[str, int]]]] = []
    for attempt in range(EXPORTS_MAX):
        folder = tmp_path / str(attempt)
        await asyncio.to_thread(export, played, folder, "parquet", "--services", "ledger")
        boards = [await _shown_and_folded(played, folder, board) for board in ("daily", "weekly", "amr")]
        if all(shown == folded for shown, folded in boards):
            break  # else a late result came between the export and the boards
    assert len(boards) == 3
    for shown, folded in boards:
        assert shown == folded != []


async def _shown_and_folded(
    installation: Installation, folder: Path, board: str
) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """The first rows of a board, as the ledger shows it and as SQL folds it."""
    done = await asyncio.to_thread(installation.sparrow, "boards", "show", board, "--rows", "200", "--json")
    shown = json.loads(done.stdout)
    with open_database(folder) as database:
        folded = database.execute(BOARD.format(shown["first_day"], shown["last_day"])).fetchmany(200)
    return [(row["player"], row["points"]) for row in shown["entries"]], folded


class _Tail:
    """`sparrow events tail --json` as a process."""

    def __init__(self, installation: Installation, into: Path) -> None:
        self.into = into
        with into.open("wb") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "libs.cli.main", "events", "tail", "--since", "2026-01-01", "--json"],
                cwd=REPOSITORY,
                env={**os.environ, **installation.environment()},
                stdout=out,
                stderr=subprocess.PIPE,
            )

    def rows(self) -> list[dict[str, Any]]:
        """What it has printed so far, in whole lines."""
        text = self.into.read_text()
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


async def test_the_live_log_goes_on_through_a_restart(
    played: Installation, client: SparrowClient, tmp_path: Path
) -> None:
    """The serving process is killed; every entry of every feed comes once; Ctrl-C ends it without a word."""
    following = _Tail(played, tmp_path / "tail.jsonl")
    try:
        await _until_shown(following, client.profile.name.removeprefix("players/"))
        await asyncio.to_thread(played.kill, "serving")
        async with await SparrowClient.connect(played.endpoint) as newcomer:
            await _until_shown(following, newcomer.profile.name.removeprefix("players/"))
    finally:
        following.process.send_signal(signal.SIGINT)
        _, errors = await asyncio.to_thread(following.process.communicate, timeout=60)

    feeds: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for row in following.rows():
        feeds[row["service"], row["part"]].append(row["seq"])
    assert {*feeds} >= {("account", "facts"), ("ledger", "facts"), ("match", "facts"), ("match", "moves")}
    for sequences in feeds.values():
        assert sequences == list(range(1, len(sequences) + 1))
    assert following.process.returncode == 130
    assert b"Traceback" not in errors


async def _until_shown(following: _Tail, account: str) -> None:
    async with asyncio.timeout(120):
        while not any(row["stream_id"] == account for row in following.rows()):
            assert following.process.poll() is None
            await asyncio.sleep(0.2)
