"""Pages of the boards on a real PostgreSQL: ties, around a player, and stable while the board moves."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid4

from services.ledger.domain.calendar import day_start
from services.ledger.domain.windows import Board
from tests.support.ledger_bench import LedgerBench, ledger_bench, points_order

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


async def test_three_who_tie_at_two_share_that_rank_in_a_stable_order(bench: LedgerBench) -> None:
    """Scenario O6: 1, 2, 2, 2, 5, accounts rising inside the tie, over pages of two as well."""
    accounts = sorted(uuid4() for _ in range(5))
    for account, points in zip(accounts, (5, 20, 50, 20, 20), strict=True):
        await bench.post(points_order(account, points, NOON))
    await bench.settle()

    expected = [
        (1, accounts[2]),
        (2, accounts[1]),
        (2, accounts[3]),
        (2, accounts[4]),
        (5, accounts[0]),
    ]
    page = await bench.reader.first_page(Board.DAILY, 2, None)
    entries, next_ranks = list(page.entries), []
    while not page.is_last and page.last is not None:
        next_ranks.append(page.last.next_rank)
        page = await bench.reader.next_page(Board.DAILY, page.listing, page.last, 2)
        entries.extend(page.entries)
    for account in accounts:
        (standing,) = [row.entry for row in (await bench.reader.standings(str(account))).rows[2:3]]
        assert standing is not None
        assert (standing.rank, account) in expected

    assert [(entry.rank, UUID(entry.account)) for entry in entries] == expected
    assert next_ranks == [3, 5]


async def test_around_a_player_equals_a_full_sort_also_after_a_restart(
    bench: LedgerBench, database_url: str
) -> None:
    """Scenario O5: 200 players, random posts, the page around each one of them, asked twice."""
    chance = random.Random(480)
    accounts = [UUID(int=chance.getrandbits(128)) for _ in range(200)]
    orders = [
        points_order(chance.choice(accounts), chance.choice((5, 10, 20, 300)), NOON) for _ in range(600)
    ]
    await bench.post(*orders)
    await bench.settle()
    full = await bench.naive(Board.AMR)
    assert await bench.shown(Board.AMR) == full

    async with ledger_bench(database_url, NOON) as restarted:
        for ledger in (bench, restarted):
            for index, entry in enumerate(full):
                page = await ledger.reader.first_page(Board.AMR, 7, entry.account)
                first = min(max(0, index - 3), max(0, len(full) - 7))
                assert page.entries == full[first : first + 7]


async def test_pages_stay_as_of_the_first_page_while_the_board_moves(bench: LedgerBench) -> None:
    """No player twice, none skipped, through posts, new players, players who leave, and a midnight."""
    chance = random.Random(7)
    accounts = [uuid4() for _ in range(60)]
    await bench.post(*(points_order(account, chance.choice((5, 10, 15)), NOON) for account in accounts))
    await bench.post(points_order(accounts[0], 40, day_start(date(2025, 3, 3)) + timedelta(hours=1)))
    await bench.settle()
    before = await bench.shown(Board.AMR)

    page = await bench.reader.first_page(Board.AMR, 8, None)
    entries = list(page.entries)
    while not page.is_last and page.last is not None:
        for _ in range(5):
            await bench.post(points_order(chance.choice([*accounts, uuid4()]), 20, bench.clock.now()))
        gone = chance.choice(accounts)
        held = [entry for entry in await bench.shown(Board.AMR) if entry.account == str(gone)]
        if held:
            await bench.post(points_order(gone, -held[0].points, bench.clock.now()))
        bench.clock.advance(timedelta(hours=5))
        await bench.settle()
        page = await bench.reader.next_page(Board.AMR, page.listing, page.last, 8)
        entries.extend(page.entries)

    assert entries == before
    assert await bench.shown(Board.AMR) == await bench.naive(Board.AMR) != before
    await bench.check_tables()
