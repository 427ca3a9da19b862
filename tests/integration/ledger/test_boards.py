"""The boards on a real PostgreSQL: tables that equal a recomputation, pages that stay, midnights."""

from __future__ import annotations

import asyncio
import itertools
import random
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from libs.eventsourcing.envelope import NewEvent, Part
from libs.eventstore import faults
from libs.eventstore.faults import Fault, Faults
from libs.eventstore.port import Fenced
from services.ledger.assets import HOUSE_POINTS, Asset, player_account
from services.ledger.domain.boards import DAY_POINTS_MAX
from services.ledger.domain.calendar import day_end, day_start, ledger_day
from services.ledger.domain.windows import WINDOWED, Board, Family, sheet_on
from services.ledger.events import TransferPosted
from services.ledger.policies import DayCloser
from services.ledger.projections.projector import BoardProjector
from services.ledger.projections.tables import LOAD_CELLS, BoardTables
from services.ledger.wire.events import TRANSFER_POSTED
from tests.support.ledger_bench import EPOCH, LedgerBench, points_order

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
REASONS = ("QUICK_MATCH", "ARENA", "LEVEL_FIRST", "MCR", "MCR_AI", "JOKER_PURCHASE")


def posted_points(account: UUID, points: int) -> TransferPosted:
    """Return points given or taken as the log keeps them, without the limits of the intake."""
    sides = (HOUSE_POINTS, player_account(account))
    debit, credit = sides if points > 0 else sides[::-1]
    day = ledger_day(NOON)
    return TransferPosted(
        f"test/{uuid4()}", Asset.POINTS, debit, credit, abs(points), "ARENA", NOON, day, "2026.6", ""
    )


async def points_of(bench: LedgerBench, account: UUID) -> list[int]:
    """Return the points on those of the boards that list an account."""
    standings = await bench.reader.standings(str(account))
    return [row.entry.points for row in standings.rows if row.entry]


async def test_one_result_twice_and_a_result_that_does_not_count_change_no_rank(bench: LedgerBench) -> None:
    """Scenario O4: one row, one rank, the count of players unchanged; table points stand apart."""
    account = uuid4()
    order = points_order(account, 20, NOON)
    await bench.post(order)
    await bench.post(order)
    await bench.post(points_order(account, 5, NOON, reason="MCR"))
    await bench.settle()

    standings = (await bench.reader.standings(str(account))).rows

    assert [(row.entry.rank, row.entry.points, row.player_count) for row in standings if row.entry] == [
        *[(1, 20, 1)] * 3,
        *[(1, 5, 1)] * 3,
    ]
    await bench.check_tables()


async def test_tables_equal_the_memory_twin_and_a_naive_recomputation(bench: LedgerBench) -> None:
    """Posts, late and early ones, reversals and midnights over 14 months: rows, digest, counters, day."""
    chance = random.Random(1128)
    accounts = [UUID(int=chance.getrandbits(128)) for _ in range(12)]
    folded = 0
    for round_number in range(70):
        bench.clock.advance(timedelta(hours=chance.choice((1, 7, 24, 24 * 9))))
        now = bench.clock.now()
        orders = [
            points_order(
                chance.choice(accounts),
                chance.choice((5, 10, 20, 300, -5)),
                now - timedelta(seconds=chance.choice((-2, 0, 3_600, 80_000))),
                reason=chance.choice(REASONS),
            )
            for _ in range(chance.randrange(6))
        ]
        if chance.random() < 0.5:
            await bench.closer.step()
        await bench.post(*orders)
        folded += await bench.settle()
        if round_number % 10 == 9:
            await bench.check_tables()
            for board in itertools.chain(*WINDOWED.values()):
                assert await bench.shown(board) == await bench.naive(board)

    assert folded == len(await bench.log())
    assert await bench.reader.as_of_day() == ledger_day(bench.clock.now())


async def test_a_result_of_tomorrow_that_comes_before_the_midnight_counts_from_then_on(
    bench: LedgerBench,
) -> None:
    """The closing of a day adds the next day's results to AMR that were there already, once."""
    account = uuid4()
    await bench.settle()
    tomorrow = day_end(ledger_day(NOON))
    bench.clock.advance(tomorrow - NOON - timedelta(seconds=1))
    await bench.post(points_order(account, 10, tomorrow - timedelta(seconds=2)))
    await bench.post(points_order(account, 20, tomorrow))
    await bench.settle()
    today = await points_of(bench, account)
    bench.clock.advance(timedelta(seconds=1))
    await bench.settle()
    then = await points_of(bench, account)

    assert today == [10, 30, 10]  # AMR and daily of today; the week holds both
    assert then == [30, 30, 20]


async def test_reads_beside_a_midnight_show_one_day_or_the_other(bench: LedgerBench) -> None:
    """While the boards are half rolled over, uncommitted, readers wait for nobody and see the day before."""
    account, today = uuid4(), ledger_day(NOON)
    await bench.post(points_order(account, 10, day_start(today - timedelta(days=364)) + timedelta(hours=1)))
    await bench.post(points_order(account, 20, NOON))
    await bench.settle()
    bench.clock.advance(day_end(today) - NOON)
    await bench.post(points_order(account, 40, bench.clock.now()))
    await bench.sequencer.step(EPOCH)
    await bench.projector.step(EPOCH)
    before = await points_of(bench, account)
    await bench.closer.step()
    await bench.sequencer.step(EPOCH)
    written, go_on = asyncio.Event(), asyncio.Event()
    save = bench.projector._tables.save

    async def save_and_wait(*arguments: Any, **named: Any) -> None:
        await save(*arguments, **named)
        written.set()
        await go_on.wait()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench.projector._tables, "save", save_and_wait)
        rolling = asyncio.create_task(bench.projector.step(EPOCH))
        await written.wait()
        beside = [await points_of(bench, account) for _ in range(3)]
        page = await bench.reader.first_page(Board.AMR, 5, None)
        go_on.set()
        await rolling

    assert before == [30, 60, 20]
    assert beside == [before] * 3
    assert page.window is not None
    assert (page.window.last_day, page.entries[0].points) == (today, 30)
    assert await points_of(bench, account) == [60, 60, 40]


async def test_missed_midnights_are_closed_in_order_and_each_once(bench: LedgerBench) -> None:
    """After three days away two closers at once append three closings; boards stand on today."""
    await bench.settle()
    bench.clock.advance(timedelta(days=3))
    other = DayCloser(bench.database.store, bench.reader.as_of_day, bench.clock)

    new = await other.step() + await bench.closer.step()
    await bench.settle()

    assert new == 3
    closings = [fact.day for _, fact in await bench.log()]
    assert closings == [date(2026, 3, 1) + timedelta(days=days) for days in range(4)]
    assert await bench.reader.as_of_day() == date(2026, 3, 5)


async def test_a_reading_of_the_clock_that_went_back_over_midnight_closes_nothing_twice(
    bench: LedgerBench,
) -> None:
    """A clock that steps back 90 s across midnight finds the day closed and leaves it so."""
    await bench.settle()
    bench.clock.advance(day_end(ledger_day(NOON)) - NOON)
    await bench.settle()
    bench.clock.advance(-timedelta(seconds=90))
    await bench.settle()
    bench.clock.advance(timedelta(seconds=91))
    await bench.settle()

    assert [fact.day for _, fact in await bench.log()] == [date(2026, 3, 1), date(2026, 3, 2)]


@pytest.mark.parametrize("point", ["boards.effect_in", "boards.commit_sent", "boards.committed"])
async def test_effect_and_checkpoint_are_one(
    bench: LedgerBench, point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scenarios E13 and E15: whatever breaks around the commit, each of ten results is counted once."""
    await bench.settle()
    for number in range(10):
        await bench.post(points_order(UUID(int=number), 20, NOON))
    await bench.sequencer.step(EPOCH)
    monkeypatch.setattr(faults, "_FAULTS", Faults(f"{point}:raise"))
    with pytest.raises(Fault):
        await bench.projector.step(EPOCH)
    await bench.settle()

    assert [entry.points for entry in await bench.shown(Board.AMR)] == [20] * 10
    await bench.check_tables()


async def test_a_projector_whose_lease_went_to_another_changes_nothing(bench: LedgerBench) -> None:
    """Once a later epoch has claimed the checkpoint, the earlier one's fold is undone as a whole."""
    await bench.settle()
    await bench.post(points_order(uuid4(), 20, NOON))
    await bench.sequencer.step(EPOCH)
    successor = BoardProjector(bench.database, BoardTables(2), bench.clock.now)
    await successor.claim(EPOCH + 1)
    with pytest.raises(Fenced):
        await bench.projector.step(EPOCH)
    assert await bench.shown(Board.AMR) == []
    assert await successor.step(EPOCH + 1) == 1

    await bench.check_tables()


async def test_points_at_the_ends_of_the_range_are_summed_and_ranked(bench: LedgerBench) -> None:
    """The most and the least that a day may hold, beside small numbers: ranks, order and digest hold."""
    accounts = sorted(uuid4() for _ in range(5))
    points_held = (DAY_POINTS_MAX, -DAY_POINTS_MAX, 1 << 32, -1, 1)
    await bench.log_facts(*map(posted_points, accounts, points_held))
    await bench.settle()
    standings = [(await bench.reader.standings(str(account))).rows[0].entry for account in accounts]

    assert [entry.rank for entry in standings if entry] == [1, 5, 2, 4, 3]
    assert await bench.shown(Board.AMR) == await bench.naive(Board.AMR)
    await bench.check_tables()


async def test_a_fact_that_would_overflow_is_parked_and_the_next_ones_count(bench: LedgerBench) -> None:
    """Two transfers of 2^62 to one player, from a log older than the limit: both parked, others go on."""
    account, other = uuid4(), uuid4()
    await bench.log_facts(
        posted_points(account, 1 << 62),
        posted_points(account, 1 << 62),
        posted_points(account, DAY_POINTS_MAX),
        posted_points(account, 1),
        posted_points(other, 7),
    )
    await bench.settle()

    assert [entry.points for entry in await bench.shown(Board.AMR)] == [DAY_POINTS_MAX, 7]
    assert await bench.count("SELECT count(*) FROM parked WHERE consumer = 'boards_g2'") == 3
    await bench.check_tables()


async def test_facts_of_other_types_are_skipped_and_counted(bench: LedgerBench) -> None:
    """A type that the boards do not declare moves the checkpoint and a counter, nothing else."""
    await bench.log_events(NewEvent(Part.FACTS, "sparrow.ledger.noted.v1", 1, NOON, b""))
    await bench.post(points_order(uuid4(), 20, NOON))
    await bench.settle()

    assert bench.projector.skipped == {"sparrow.ledger.noted.v1": 1}
    assert [entry.points for entry in await bench.shown(Board.AMR)] == [20]


async def test_a_fact_of_a_newer_version_stops_the_boards_after_all_before_it(bench: LedgerBench) -> None:
    """What stands before it is folded; it and what follows wait for boards that know it."""
    await bench.settle()
    await bench.log_facts(posted_points(uuid4(), 20))
    await bench.log_events(NewEvent(Part.FACTS, TRANSFER_POSTED, 2, NOON, b""))
    await bench.log_facts(posted_points(uuid4(), 30))
    with pytest.raises(AssertionError, match="schema version 2"):
        await bench.settle()

    assert [entry.points for entry in await bench.shown(Board.AMR)] == [20]


async def test_a_fold_reads_few_pages_a_row_however_many_players_there_are(bench: LedgerBench) -> None:
    """On a table that grew unseen by the planner, 50 rows of 20,000 are found without reading the sheet."""
    tables = BoardTables(2)
    grown = """
        INSERT INTO board_row_g2 SELECT 3, '2026-03-02', CAST(lpad(to_hex(n), 32, '0') AS uuid), n % 300 + 1
        FROM generate_series(1, 20000) AS n
    """
    wanted = {
        "boards": [3] * 50,
        "days": [date(2026, 3, 2)] * 50,
        "accounts": [str(UUID(int=400 * number + 1)) for number in range(50)],
    }
    async with bench.database.engine.begin() as connection:
        await connection.execute(text(grown))
        explained = await connection.execute(
            tables.sql(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {LOAD_CELLS}"), wanted
        )
        plan = explained.scalar_one()[0]["Plan"]

    assert plan["Actual Rows"] == 50
    assert plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] < 50 * 8


async def test_changes_are_kept_as_long_as_page_tokens_live(bench: LedgerBench) -> None:
    """After 15 minutes they are there; after 21 they are forgotten."""
    await bench.settle()
    await bench.post(points_order(uuid4(), 20, NOON))
    await bench.settle()
    await bench.projector.forget_old_changes()
    bench.clock.advance(timedelta(minutes=15))
    await bench.projector.forget_old_changes()
    kept = await bench.count("SELECT count(*) FROM board_change_g2")
    bench.clock.advance(timedelta(minutes=6))
    await bench.projector.forget_old_changes()

    assert (kept, await bench.count("SELECT count(*) FROM board_change_g2")) == (3, 0)


def rating_fact(account: UUID, change: int, occurred_at: datetime) -> TransferPosted:
    """Return a rating given or taken, as the log keeps it."""
    sides = ("house/ratings", player_account(account))
    debit, credit = sides if change > 0 else sides[::-1]
    return TransferPosted(
        f"test/{uuid4()}", Asset.RATING, debit, credit, abs(change), "RACE", occurred_at,
        ledger_day(occurred_at), "2026.6", "",
    )  # fmt: skip


async def test_table_points_and_ratings_have_boards_of_their_own(bench: LedgerBench) -> None:
    """Negative table points are listed, sums of 0 are not; a rating is a sum that no midnight moves."""
    ana, bob, eve = (UUID(int=number) for number in (1, 2, 3))
    table_points = [(ana, 24), (bob, -16), (eve, -8), (eve, 8)]
    await bench.settle()
    await bench.post(*(points_order(account, points, NOON, reason="MCR") for account, points in table_points))
    await bench.log_facts(*(rating_fact(*rated, NOON) for rated in ((ana, 1500), (bob, 1500), (bob, -20))))
    await bench.settle()
    for board in WINDOWED[Family.MCR]:
        assert [(entry.rank, entry.account, entry.points) for entry in await bench.shown(board)] == [
            (1, str(ana), 24),
            (2, str(bob), -16),
        ]
    assert await bench.shown(Board.AMR) == []
    bench.clock.advance(timedelta(days=365))
    await bench.settle()

    ratings = (await bench.rows())[sheet_on(Board.RACE_RATING, ledger_day(NOON))]
    assert ratings == {str(ana): 1500, str(bob): 1480}
    assert await bench.shown(Board.MCR_YEAR) == []
    await bench.check_tables()


async def test_a_closing_keeps_the_boards_as_the_day_ended(bench: LedgerBench) -> None:
    """The histogram of each board before the roll; a result that comes later changes no history."""
    ana, bob, eve = (UUID(int=number) for number in (1, 2, 3))
    await bench.settle()
    for account, points in ((ana, 20), (bob, 5), (eve, 20)):
        await bench.post(points_order(account, points, NOON))
    bench.clock.advance(timedelta(days=1))
    await bench.settle()
    await bench.post(points_order(ana, 300, NOON + timedelta(hours=1)))
    await bench.settle()

    async with bench.database.engine.connect() as connection:
        kept = await connection.execute(
            text("SELECT closed_day, board, points, players FROM board_history_g2 ORDER BY board")
        )
        histories = [tuple(row) for row in kept]
    day = ledger_day(NOON)
    listed = [(day, board, [5, 20], [3, 2]) for board in (1, 2, 3)]
    assert histories == [*listed, *((day, board, [], []) for board in range(4, 11))]
    await bench.check_tables()
