"""Reads of the past one at a time and bounded, over a switch of generation, and with stray rows."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from contextvars import copy_context
from datetime import UTC, date, datetime
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from libs.runtime.caller import CALLER as CALLER_NOW
from libs.runtime.caller import Player
from libs.runtime.errors import Refused
from services.ledger.board_servicer import BoardReads
from services.ledger.domain.windows import Board
from services.ledger.projections.admission import WAITING_MAX, Admission
from services.ledger.projections.club_reads import ClubBoards
from services.ledger.projections.listings import BoardQuestion
from services.ledger.projections.movement import EndOfDay
from services.ledger.projections.past import WHOLE, BeforeOpeningError
from services.ledger.projections.reads import Shown
from services.ledger.projections.standing_history import RANKS
from tests.support.past_boards import (
    Past,
    rows_of,
)


async def test_histories_are_ranked_one_at_a_time(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reads hundreds of whole histograms: many who ask at once leave connections to other readers."""
    fetch, running, most = past.bench.reader.fetch, 0, 0

    async def counted(template: str, arguments: Any) -> Any:
        nonlocal running, most
        running += template == RANKS
        most = max(most, running)
        try:
            return await fetch(template, arguments)
        finally:
            running -= template == RANKS

    monkeypatch.setattr(past.bench.reader, "fetch", counted)
    asked = past.accounts[:8]
    told = await asyncio.gather(*(past.reads.history.days(account, 365) for account in asked))

    assert most == 1
    assert [len(days) for days in told] == [365] * len(asked)


def _ranked_by(day: date, points: int, _shown: Shown) -> tuple[Any, ...]:
    return [day], [points], 1


async def test_ranks_in_kept_boards_are_found_between_and_beyond_their_points(past: Past) -> None:
    """A binary search in what a closing kept: above all, in a tie, in a gap, below all."""
    async with past.bench.database.engine.begin() as connection:
        await connection.execute(text("DELETE FROM board_history_g2"))
        await connection.execute(
            text("INSERT INTO board_history_g2 VALUES ('2026-03-05', 1, 5, '{-5,10,20,40}', '{7,6,5,2}')")
        )
    day = date(2026, 3, 5)
    asked = {41: 1, 40: 1, 39: 3, 20: 3, 15: 6, 10: 6, 5: 7, -5: 7, -6: 8}

    for points, rank in asked.items():
        _, rows = await past.bench.reader.fetch(RANKS, partial(_ranked_by, day, points))
        assert [row["rank"] for row in rows] == [rank]
        assert EndOfDay(5, [-5, 10, 20, 40], [7, 6, 5, 2]).rank(points) == rank


async def test_a_third_read_of_a_player_who_has_two_waiting_is_refused(
    past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RATE_LIMIT with a time to wait, for boards of instants and for histories; others still get theirs."""
    hold = asyncio.Event()
    fetch = past.bench.reader.fetch

    async def held(template: str, arguments: Any) -> Any:
        if template in {RANKS, WHOLE}:
            await hold.wait()
        return await fetch(template, arguments)

    monkeypatch.setattr(past.bench.reader, "fetch", held)
    one, other = (Player(UUID(int=number), UUID(int=9)) for number in (1, 2))

    def ask(player: Player, at: datetime | None = None) -> asyncio.Task[Any]:
        context = copy_context()
        context.run(CALLER_NOW.set, player)
        if at is None:
            read: Any = past.reads.history.days(past.accounts[0], 300)
        else:
            read = past.reads.listings.first(BoardQuestion(Board.AMR, 4, at=at))
        return asyncio.get_running_loop().create_task(read, context=context)

    instants = past.instants[20:23]
    waiting = [
        *(ask(one, at) for at in instants[:2]),
        *(ask(one) for _ in range(2)),
    ]
    await asyncio.sleep(0.3)
    for third in (ask(one, instants[2]), ask(one)):
        with pytest.raises(Refused) as refusal:
            await third
        assert (refusal.value.reason, refusal.value.retry_after_ms) == ("RATE_LIMIT", 1_000)
    waiting += [ask(other, instants[2]), ask(other)]
    hold.set()

    assert len(await asyncio.gather(*waiting)) == 6
    assert await ask(one, instants[2])


async def test_only_so_many_reads_wait_altogether() -> None:
    """Those of operators too; whoever is done makes room."""
    admission = Admission()
    with ExitStack() as waiting:
        for _ in range(WAITING_MAX):
            waiting.enter_context(admission.admitted())
        with pytest.raises(Refused), admission.admitted():
            pass
    with admission.admitted():
        pass


async def test_nothing_kept_survives_a_switch_of_generation(past: Past) -> None:
    """A board of an instant, the opening, the end of yesterday: of the new generation from then on."""
    bench = past.bench
    at, before = past.instants[30], BoardQuestion(Board.RACE_RATING, 50, with_previous_rank=True)
    instant = BoardQuestion(Board.AMR, 50, at=at)
    old = await past.reads.listings.first(instant)
    old_ranks = (await past.reads.listings.first(before)).previous_ranks
    tables = ("row", "count", "entry", "history")
    statements = (
        "SELECT create_board_generation(3)",
        *(f"INSERT INTO board_{table}_g3 SELECT * FROM board_{table}_g2" for table in tables),
        "UPDATE board_row_g3 SET points = points + 100000 WHERE board IN (1, 3)",
        "UPDATE board_history_g3 SET players = ARRAY(SELECT p + 9 FROM unnest(players) AS p)",
        "UPDATE board_state SET as_of_day = (SELECT max(as_of_day) FROM board_state) WHERE generation = 3",
        "UPDATE checkpoint SET name = 'boards_g3' WHERE name = 'boards_g2'",
        "UPDATE active_generation SET generation = 3",
    )
    async with bench.database.engine.begin() as connection:
        for statement in statements:
            await connection.exec_driver_sql(statement)
    new = await past.reads.listings.first(instant)
    new_ranks = (await past.reads.listings.first(before)).previous_ranks

    assert rows_of([new]) != rows_of([old])
    assert max(old_ranks.values()) > 1
    assert new_ranks == {account: rank + 9 if rank > 1 else 1 for account, rank in old_ranks.items()}


@pytest.mark.parametrize("stray", ["2001-01-01", "2100-01-01", "-infinity", "infinity"])
async def test_a_stray_history_is_told_and_passed_over(past: Past, stray: str) -> None:
    """Instants are answered as without it, and those before the opening are still before it."""
    at = past.instants[30]
    question = BoardQuestion(Board.AMR, 50, at=at)
    expected = await past.reads.listings.first(question)
    async with past.bench.database.engine.begin() as connection:
        await connection.execute(
            text("INSERT INTO board_history_g2 VALUES (CAST(:day AS text)::date, 1, 0, '{}', '{}')"),
            {"day": stray},
        )
    reads = BoardReads.of(past.bench.database, past.bench.reader, ClubBoards())

    with capture_logs() as logs:
        assert await reads.listings.first(question) == expected
        with pytest.raises(BeforeOpeningError):
            await reads.past.moment(datetime(2026, 3, 2, 11, tzinfo=UTC))

    assert [each["days"] for each in logs] == ([[stray]] if stray == "2001-01-01" else [])
