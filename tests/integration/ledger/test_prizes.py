"""Prizes of tournaments: from the facts of their service to boards, balances and cups."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import grpc
import pytest
from sqlalchemy import text

from libs.bus.memory import MemoryBus
from libs.eventsourcing.envelope import FeedEntry, NewEvent
from libs.eventstore.checkpoint import claim
from libs.eventstore.postgres.database import Database
from libs.eventstore.wake import Wake
from libs.pb.sparrow.ledger.v1 import ledger_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as pb
from services.ledger.assets import HOUSE_JOKERS, Asset, player_account
from services.ledger.commands import PostTransfer
from services.ledger.domain.ranks import Entry
from services.ledger.domain.windows import WINDOWED, Board, Family
from services.ledger.prize_facts import PRIZE_INTAKE, PrizeFacts
from services.ledger.projections.rebuilding.progress import Progress
from services.ledger.projections.rebuilding.rebuild import Rebuild
from services.ledger.projections.rebuilding.verification import Verification
from services.ledger.store.prizes import Prizes
from services.ledger.wire.messages import timestamp
from tests.support.checker import findings
from tests.support.edge import refused
from tests.support.ledger_bench import EPOCH, LedgerBench
from tests.support.ledger_calls import LedgerCalls, ledger_calls
from tests.support.prize_feeds import SOURCE, award, awarded, feed, record, revoked

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
"""A Monday."""
ANA, BOB, EVA = (UUID(int=number) for number in (1, 2, 3))
CUP_A, CUP_B = UUID(int=70), UUID(int=71)


@pytest.fixture
async def tournaments(database_url: str) -> AsyncIterator[Database]:
    """The schema of the tournament service in the same database."""
    opened = await Database.open(database_url, "tournament")
    yield opened
    await opened.close()


async def intake(bench: LedgerBench) -> PrizeFacts:
    """Return the handler with the checkpoint claimed."""
    async with bench.database.engine.begin() as connection:
        await claim(connection, PRIZE_INTAKE, EPOCH)
    return PrizeFacts(Prizes(bench.database.store), bench.clock, Wake(MemoryBus(), "ledger"), SOURCE)


async def told(bench: LedgerBench, tournaments: Database, *events: NewEvent) -> list[FeedEntry]:
    """Record facts of one tournament and take them in, all at once; return its feed."""
    await record(tournaments, CUP_A, events, bench.clock.now())
    entries = await feed(tournaments)
    await (await intake(bench)).handle(entries, EPOCH)
    await bench.settle()
    return entries


async def again(bench: LedgerBench, entries: Sequence[FeedEntry]) -> None:
    """Tell entries again, as after a lost checkpoint."""
    async with bench.database.engine.begin() as connection:
        await connection.execute(text(f"UPDATE checkpoint SET seq = 0 WHERE name = '{PRIZE_INTAKE}'"))
    await (await intake(bench)).handle(entries, EPOCH)
    await bench.settle()


async def parked(bench: LedgerBench) -> list[tuple[int, str]]:
    """What waits for an operator."""
    async with bench.database.engine.connect() as connection:
        rows = await connection.execute(text("SELECT seq, reason FROM parked ORDER BY seq"))
        return [(row.seq, row.reason) for row in rows]


def rows(entries: Sequence[Entry]) -> list[tuple[int, str, int]]:
    """Rows as plain tuples."""
    return [(entry.rank, entry.account, entry.points) for entry in entries]


async def test_prizes_stand_on_the_boards_of_the_day_their_tournament_finished(
    bench: LedgerBench, tournaments: Database, database_url: str
) -> None:
    """Caught up after three days: on that day, its week, the year; jokers and cups; log and boards agree."""
    await bench.settle()
    bench.clock.advance(timedelta(days=3))
    await bench.settle()
    prizes = (award(1, ANA, 300, 2, "gold"), award(2, BOB, 150), award(3, EVA))
    entries = await told(bench, tournaments, awarded(*prizes, finished_at=NOON))

    expected = [(1, str(ANA), 300), (2, str(BOB), 150)]
    assert rows(await bench.shown(Board.AMR)) == rows(await bench.shown(Board.WEEKLY)) == expected
    assert await bench.shown(Board.DAILY) == []
    assert await bench.journal.balances(player_account(ANA)) == {Asset.JOKER: 2}
    assert await Prizes(bench.database.store).cups(player_account(ANA)) == {"gold": 1}
    assert await bench.count("SELECT count(*) FROM transfer WHERE day = '2026-03-02'") == 4
    await again(bench, entries)
    assert await bench.count("SELECT count(*) FROM transfer") == 4
    assert await parked(bench) == []
    await bench.check_tables()
    rebuilt = await Rebuild(database_url, Progress()).run()
    verified = await Verification(database_url, Progress()).run()
    assert rebuilt.faults.count == verified.faults.count == 0


async def test_what_was_revoked_is_as_if_it_had_not_been_paid(
    bench: LedgerBench, tournaments: Database, database_url: str
) -> None:
    """In one batch, or told again out of order: boards, jokers and cups are those of what stands."""
    await bench.settle()
    first, second = award(1, ANA, 300, 2, "gold"), award(2, BOB, 150)
    winner = award(3, BOB, 300, 2, "gold")
    entries = await told(
        bench,
        tournaments,
        awarded(first, second, finished_at=NOON),
        revoked(first, second, finished_at=NOON),
        awarded(winner, finished_at=NOON),
    )
    await again(bench, entries[::-1])

    for board in WINDOWED[Family.POINTS]:
        assert rows(await bench.shown(board)) == [(1, str(BOB), 300)]
    prizes = Prizes(bench.database.store)
    assert await prizes.cups(player_account(ANA)) == {}
    assert await prizes.cups(player_account(BOB)) == {"gold": 1}
    assert (await bench.journal.balances(player_account(ANA)))[Asset.JOKER] == 0
    assert (await bench.journal.balances(player_account(BOB)))[Asset.JOKER] == 2
    assert await parked(bench) == []
    await bench.check_tables()
    assert (await Verification(database_url, Progress()).run()).faults.count == 0


async def test_the_naive_checker_finds_a_prize_that_was_not_paid(
    bench: LedgerBench, tournaments: Database, database_url: str
) -> None:
    """Nothing where each award was paid and each revoked one taken back; else the key that is missing."""
    await bench.settle()
    prizes = (award(1, ANA, 300, 2, "gold"), award(2, BOB, 150))
    facts = (awarded(*prizes, finished_at=NOON), revoked(prizes[1], finished_at=NOON))
    await told(bench, tournaments, *facts)
    assert await findings(database_url, stopped=False) == []

    await record(tournaments, CUP_B, (awarded(award(1, EVA, 5), finished_at=NOON),), bench.clock.now())
    await feed(tournaments)
    (found,) = await findings(database_url, stopped=False)
    assert found.startswith(f"tournament/{CUP_B}/prize/1/POINTS is owed")


async def test_a_revocation_that_comes_first_keeps_its_prize_from_being_paid(
    bench: LedgerBench, tournaments: Database, database_url: str
) -> None:
    """The keys are cancelled for ever; nothing is parked."""
    await bench.settle()
    prize = award(1, ANA, 300, 2, "gold")
    await told(bench, tournaments, revoked(prize, finished_at=NOON), awarded(prize, finished_at=NOON))

    assert await bench.shown(Board.AMR) == []
    assert await bench.count("SELECT count(*) FROM transfer WHERE asset IS NULL") == 3
    assert await bench.count("SELECT count(*) FROM transfer") == 3
    assert await parked(bench) == []
    assert (await Verification(database_url, Progress()).run()).faults.count == 0


async def test_an_operator_sees_what_cannot_be_done(bench: LedgerBench, tournaments: Database) -> None:
    """Won jokers that were spent, a number with other contents, an end ahead: parked with the keys."""
    await bench.settle()
    prize, key = award(1, ANA, 300, 2, "gold"), f"tournament/{CUP_A}/prize"
    await told(bench, tournaments, awarded(prize, finished_at=NOON))
    account, now = player_account(ANA), bench.clock.now()
    await bench.post(
        PostTransfer("spent/1", Asset.JOKER, account, HOUSE_JOKERS, 1, "JOKER_SPENT", now, now, "")
    )
    events = (
        revoked(prize, finished_at=NOON),
        awarded(award(2, BOB, 50), finished_at=NOON),
        awarded(award(2, BOB, 60), finished_at=NOON),
        awarded(award(4, EVA, 5), finished_at=NOON + timedelta(days=1)),
    )
    await record(tournaments, CUP_A, events, now, version=1)
    await again(bench, await feed(tournaments))

    assert rows(await bench.shown(Board.AMR)) == [(1, str(BOB), 50)]
    assert await bench.journal.balances(account) == {Asset.JOKER: 1}
    assert await parked(bench) == [
        (2, f"BALANCE_TOO_LOW: {key}/1/JOKER"),
        (4, f"KEY_REUSED: {key}/2/POINTS"),
        (5, f"OCCURRED_OUT_OF_RANGE: {key}/4/POINTS"),
    ]


@pytest.fixture
async def calls(database_url: str) -> AsyncIterator[LedgerCalls]:
    """A ledger whose boards are open."""
    async with ledger_calls(database_url) as served:
        await served.bench.settle()
        yield served


async def week(calls: LedgerCalls, player: UUID, at: datetime) -> tuple[int, str]:
    """A player's prize points of the week of an instant, and its Monday."""
    request = pb.GetPrizePointsRequest(player=f"players/{player}", week_time=timestamp(at))
    reply = await calls.stub.GetPrizePoints(request, metadata=calls.edge.as_service())
    return reply.points, reply.first_day


async def test_services_learn_the_prize_points_of_a_week_by_when_tournaments_finished(
    calls: LedgerCalls, tournaments: Database
) -> None:
    """To the microsecond of Romania's Monday; revoked prizes and other points are out."""
    bench = calls.bench
    monday = datetime(2026, 3, 1, 22, tzinfo=UTC)
    last = monday - timedelta(microseconds=1)
    taken = award(1, ANA, 1_000)
    before = (awarded(award(1, ANA, 70), finished_at=last),)
    after = (
        awarded(taken, award(2, ANA, 150), award(3, BOB, 40, 5), finished_at=monday),
        revoked(taken, finished_at=monday),
    )
    await record(tournaments, CUP_A, before, bench.clock.now())
    await record(tournaments, CUP_B, after, bench.clock.now())
    await (await intake(bench)).handle(await feed(tournaments), EPOCH)
    order = calls.order(ledger_pb2.ASSET_POINTS, "house/points", f"players/{ANA}", 9, reason="ARENA")
    await calls.post(order)

    assert await week(calls, ANA, NOON) == await week(calls, ANA, monday) == (150, "2026-03-02")
    assert await week(calls, ANA, last) == (70, "2026-02-23")
    assert await week(calls, BOB, NOON) == (40, "2026-03-02")
    assert await week(calls, EVA, NOON) == (0, "2026-03-02")


async def test_prize_points_are_told_to_services_alone_and_of_weeks_that_can_be(calls: LedgerCalls) -> None:
    """PERMISSION_DENIED for players and operators; an instant before 2000 is a field that is wrong."""
    request = pb.GetPrizePointsRequest(player=f"players/{ANA}", week_time=timestamp(NOON))
    for who in (calls.edge.as_player(), calls.edge.as_operator()):
        refusal = await refused(calls.stub.GetPrizePoints(request, metadata=who))
        assert refusal.code == grpc.StatusCode.PERMISSION_DENIED
    request.week_time.CopyFrom(timestamp(datetime(1999, 12, 31, tzinfo=UTC)))
    refusal = await refused(calls.stub.GetPrizePoints(request, metadata=calls.edge.as_service()))
    assert refusal.field == "week_time"


async def test_players_see_their_cups_and_are_told_of_the_tournament(
    calls: LedgerCalls, tournaments: Database
) -> None:
    """A champions cup per win, beside other kinds; a standing names the tournament each prize was won in."""
    bench = calls.bench
    for number, tournament in enumerate((CUP_A, CUP_B)):
        prize = award(1, ANA, 100 + number, 0, "champions")
        events = (awarded(prize, award(2, ANA, 0, 0, "gold"), award(3, BOB, 1), finished_at=NOON),)
        await record(tournaments, tournament, events, bench.clock.now())
    await (await intake(bench)).handle(await feed(tournaments), EPOCH)
    await bench.settle()

    who, me = calls.edge.as_service(), f"players/{ANA}"
    held = await calls.stub.GetBalances(pb.GetBalancesRequest(player=me), metadata=who)
    asked = pb.ExplainStandingRequest(player=me, board=ledger_pb2.BOARD_DAILY)
    explained = await calls.stub.ExplainStanding(asked, metadata=who)
    assert [(cup.cup_kind, cup.amount) for cup in held.cups] == [("champions", 2), ("gold", 2)]
    assert [(row.asset, row.amount) for row in held.balances] == [
        (ledger_pb2.ASSET_JOKER, 0),
        (ledger_pb2.ASSET_CHIP, 0),
    ]
    assert [(each.subject, each.points, each.transfer.reason) for each in explained.contributions] == [
        (f"tournaments/{CUP_B}", 101, "TOURNAMENT_PRIZE"),
        (f"tournaments/{CUP_A}", 100, "TOURNAMENT_PRIZE"),
    ]
    assert {each.cause.split("/")[1].split(":")[0] for each in explained.contributions} == {"tournament"}


async def test_nobody_else_posts_or_cancels_prizes(calls: LedgerCalls) -> None:
    """Their keys are the ledger's own."""
    order = calls.order(
        ledger_pb2.ASSET_POINTS, "house/points", f"players/{ANA}", 9, key="tournament/1/prize"
    )
    cancelling = pb.CancelTransferRequest(key=f"tournament/{CUP_A}/prize/1/POINTS", request_id="1")
    who = calls.edge.as_service()
    for call in (
        calls.stub.PostTransfer(order, metadata=who),
        calls.stub.CancelTransfer(cancelling, metadata=who),
    ):
        refusal = await refused(call)
        assert (refusal.code, refusal.field) == (grpc.StatusCode.INVALID_ARGUMENT, "key")
