"""Account facts at the ledger: chips for new profiles, memberships of clubs; each once, whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from libs.bus.memory import MemoryBus
from libs.eventsourcing.envelope import FeedEntry, NewEvent, Part
from libs.eventsourcing.ids import derived_id
from libs.eventstore import faults
from libs.eventstore.checkpoint import claim
from libs.eventstore.consumer import Consumer
from libs.eventstore.faults import Fault, Faults
from libs.eventstore.loops import consumer_loop, event_core_loops
from libs.eventstore.port import Appended, Fenced, Request, StreamAppend
from libs.eventstore.position import LocalFeedReader
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.stored_checkpoint import StoredCheckpoint
from libs.eventstore.sequencer import Sequencer
from libs.eventstore.wake import Wake
from libs.pb.sparrow.account.v1 import account_event_pb2, club_event_pb2
from services.ledger.account_facts import ACCOUNT_DECLARED, ACCOUNT_INTAKE, AccountFacts
from services.ledger.assets import Asset
from services.ledger.wire.account_facts import CLUB_MEMBER_JOINED, CLUB_MEMBER_LEFT, PROFILE_CREATED
from tests.support.ledger_bench import EPOCH, LedgerBench

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SOURCE = "local/account"
MINUTE = timedelta(minutes=1)

Fact = tuple[UUID, NewEvent]  # the stream it belongs to


@pytest.fixture
async def account(database_url: str) -> AsyncIterator[Database]:
    """The schema of the account service in the same database."""
    opened = await Database.open(database_url, "account")
    yield opened
    await opened.close()


def created(account_id: str) -> Fact:
    """Return a new profile."""
    data = account_event_pb2.ProfileCreated(account_id=account_id).SerializeToString()
    return uuid4(), NewEvent(Part.FACTS, PROFILE_CREATED, 1, NOON, data)


def joined(club: str, account_id: str, at: datetime) -> Fact:
    """Return a member who came in."""
    message = club_event_pb2.ClubMemberJoined(club_id=club, account_id=account_id)
    return tie(club, account_id), NewEvent(Part.FACTS, CLUB_MEMBER_JOINED, 1, at, message.SerializeToString())


def left(club: str, account_id: str, at: datetime) -> Fact:
    """Return a member who went."""
    message = club_event_pb2.ClubMemberLeft(club_id=club, account_id=account_id)
    return tie(club, account_id), NewEvent(Part.FACTS, CLUB_MEMBER_LEFT, 1, at, message.SerializeToString())


def tie(club: str, account_id: str) -> UUID:
    """Return the stream of a player and a club."""
    return derived_id(NOON, "tie", club, account_id)


async def record(account: Database, *facts: Fact) -> list[FeedEntry]:
    """Store facts of the account service and return its feed."""
    for stream_id, event in facts:
        version = (await account.store.heads([stream_id])).get(stream_id, 0)
        stream = StreamAppend(stream_id, version, (event,))
        stored = await account.store.append([stream], recorded_at=NOON, caller=uuid4())
        assert isinstance(stored, Appended)
    await Sequencer(account, Part.FACTS).step(EPOCH)
    return await account.feed.read(Part.FACTS, 1)


async def intake(bench: LedgerBench) -> AccountFacts:
    """Return the handler with the checkpoint claimed."""
    async with bench.database.engine.begin() as connection:
        await claim(connection, ACCOUNT_INTAKE, EPOCH)
    return AccountFacts(bench.journal, bench.clock, Wake(MemoryBus(), "ledger"), SOURCE)


async def begin_again(bench: LedgerBench) -> None:
    """Take the checkpoint back to the start of the feed."""
    async with bench.database.engine.begin() as connection:
        await connection.execute(
            text("UPDATE checkpoint SET seq = 0 WHERE name = :name"), {"name": ACCOUNT_INTAKE}
        )


async def memberships(bench: LedgerBench) -> list[tuple[str, str, int, datetime, datetime | None]]:
    """Return all rows."""
    query = text(
        "SELECT club, account, joined_version, joined_at, left_at FROM club_membership ORDER BY 1, 2, 3"
    )
    async with bench.database.engine.connect() as connection:
        return [(str(r[0]), str(r[1]), r[2], r[3], r[4]) for r in await connection.execute(query)]


async def parked(bench: LedgerBench) -> list[tuple[int, str]]:
    """Return what waits for an operator: seq and the beginning of the reason."""
    async with bench.database.engine.connect() as connection:
        rows = await connection.execute(text("SELECT seq, reason FROM parked ORDER BY seq"))
        return [(row.seq, row.reason.split(":")[0]) for row in rows]


async def test_a_new_profile_gets_a_thousand_chips_once(bench: LedgerBench, account: Database) -> None:
    """Key, reason and cause as promised; told again from the start, nothing is given twice."""
    ana = str(uuid4())
    entries = await record(account, created(ana))
    handler = await intake(bench)
    await handler.handle(entries, EPOCH)
    await begin_again(bench)
    await handler.handle(entries, EPOCH)

    ((_, kept),) = await bench.journal.page(f"players/{ana}", below=1 << 62, limit=9)
    given = kept.transfer
    assert (given.key, given.reason) == (f"chips/welcome/{ana}", "CHIPS_WELCOME")
    assert (given.debit, given.amount, given.occurred_at) == ("house/chips", 1_000, NOON)
    assert given.cause == f"{SOURCE}:{entries[0].event.id}"
    assert await bench.journal.balances(f"players/{ana}") == {Asset.CHIP: 1_000}
    assert await parked(bench) == []


async def test_memberships_are_intervals_however_often_they_are_told(
    bench: LedgerBench, account: Database
) -> None:
    """In, out, in again at the same instant: two rows, the same after a replay from 0 or from the middle."""
    club, ana, bob = str(uuid4()), str(uuid4()), str(uuid4())
    entries = await record(
        account,
        joined(club, ana, NOON),
        joined(club, bob, NOON + MINUTE),
        left(club, ana, NOON + MINUTE),
        joined(club, ana, NOON + MINUTE),
    )
    handler = await intake(bench)
    await handler.handle(entries[:2], EPOCH)
    await handler.handle(entries[2:], EPOCH)
    once = await memberships(bench)
    await begin_again(bench)
    await handler.handle(entries, EPOCH)

    assert once == sorted(
        [
            (club, ana, 1, NOON, NOON + MINUTE),
            (club, ana, 3, NOON + MINUTE, None),
            (club, bob, 1, NOON + MINUTE, None),
        ]
    )
    assert await memberships(bench) == once
    assert await parked(bench) == []


async def test_account_facts_without_sense_are_parked(bench: LedgerBench, account: Database) -> None:
    """No message, no account, out without in, in twice, out before in: an operator's; the rest goes on."""
    club, ana = str(uuid4()), str(uuid4())
    broken = NewEvent(Part.FACTS, CLUB_MEMBER_LEFT, 1, NOON, b"\xff\xff")
    entries = await record(
        account,
        created("nobody"),
        (uuid4(), broken),
        left(club, str(uuid4()), NOON),
        joined(club, ana, NOON),
        joined(club, ana, NOON + MINUTE),
        left(club, ana, NOON - MINUTE),
        left(club, ana, NOON + 2 * MINUTE),
        left(club, ana, NOON + 3 * MINUTE),
        created(ana),
    )
    handler = await intake(bench)
    await handler.handle(entries, EPOCH)
    told = await parked(bench)
    await begin_again(bench)
    await handler.handle(entries, EPOCH)

    assert told == [
        (1, "MALFORMED"),
        (2, "MALFORMED"),
        (3, "MEMBERSHIP_UNKNOWN"),
        (5, "MEMBERSHIP_UNKNOWN"),
        (6, "MEMBERSHIP_UNKNOWN"),
        (8, "MEMBERSHIP_UNKNOWN"),
    ]
    assert await parked(bench) == told
    assert await memberships(bench) == [(club, ana, 1, NOON, NOON + 2 * MINUTE)]
    assert await bench.count("SELECT count(*) FROM transfer") == 1


async def test_a_welcome_that_was_cancelled_is_no_error(bench: LedgerBench, account: Database) -> None:
    """Whoever voided the key meant it: nothing is posted, nothing is parked."""
    ana = str(uuid4())
    await bench.journal.cancel_command(
        f"chips/welcome/{ana}", now=NOON, request=Request(uuid4(), "void", bytes(32))
    )
    await (await intake(bench)).handle(await record(account, created(ana)), EPOCH)

    assert await bench.journal.balances(f"players/{ana}") in ({}, {Asset.CHIP: 0})
    assert await parked(bench) == []


@pytest.mark.parametrize("point", ["accounts.rows_in", "accounts.committed"])
async def test_chips_memberships_and_checkpoint_are_one(
    bench: LedgerBench, account: Database, point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever breaks around the commit, going on from the checkpoint takes each fact in once."""
    club, ana = str(uuid4()), str(uuid4())
    entries = await record(account, created(ana), joined(club, ana, NOON))
    handler = await intake(bench)
    monkeypatch.setattr(faults, "_FAULTS", Faults(f"{point}:raise"))
    with pytest.raises(Fault):
        await handler.handle(entries, EPOCH)
    done = await bench.count(f"SELECT seq FROM checkpoint WHERE name = '{ACCOUNT_INTAKE}'")
    rows = await memberships(bench)
    if rest := entries[done:]:
        await handler.handle(rest, EPOCH)

    assert (done, len(rows)) == ((2, 1) if point == "accounts.committed" else (0, 0))
    assert len(await memberships(bench)) == 1
    assert await bench.journal.balances(f"players/{ana}") == {Asset.CHIP: 1_000}


async def test_a_fenced_intake_of_accounts_changes_nothing(bench: LedgerBench, account: Database) -> None:
    """Once a later epoch has claimed the checkpoint, the earlier one's batch is undone as a whole."""
    ana = str(uuid4())
    entries = await record(account, created(ana), joined(str(uuid4()), ana, NOON))
    handler = await intake(bench)
    async with bench.database.engine.begin() as connection:
        await claim(connection, ACCOUNT_INTAKE, EPOCH + 1)
    with pytest.raises(Fenced):
        await handler.handle(entries, EPOCH)

    assert await memberships(bench) == []
    assert await bench.count("SELECT count(*) FROM transfer") == 0


async def test_two_replicas_follow_the_feed_without_a_bus(bench: LedgerBench, account: Database) -> None:
    """Messages are lost, the owner's feed tells: one replica works, the other takes over, all rows once."""
    bus = MemoryBus()
    club, players = str(uuid4()), [str(uuid4()) for _ in range(30)]

    def replica(holder: str, stop: asyncio.Event) -> list[asyncio.Future[None]]:
        consumer = Consumer(
            bus,
            LocalFeedReader(account.feed),
            StoredCheckpoint(bench.database, ACCOUNT_INTAKE),
            name=ACCOUNT_INTAKE,
            source=SOURCE,
            part=Part.FACTS,
            declared=ACCOUNT_DECLARED,
            handle=AccountFacts(bench.journal, bench.clock, Wake(bus, "ledger"), SOURCE).handle,
        )
        loops = [
            *event_core_loops(account, MemoryBus(), "account", holder, (Part.FACTS,)),
            consumer_loop(bench.database, holder, consumer),
        ]
        return [asyncio.ensure_future(run(stop)) for _, run in loops]

    async def until(count: int) -> None:
        async with asyncio.timeout(20):
            while await bench.count("SELECT count(*) FROM club_membership") < count:  # noqa: ASYNC110 a row sets no event
                await asyncio.sleep(0.05)

    stops = {"one": asyncio.Event(), "two": asyncio.Event()}
    tasks = {holder: replica(holder, stop) for holder, stop in stops.items()}
    for player in players[:15]:
        await record_alone(account, created(player), joined(club, player, NOON))
    await until(15)
    stops["one"].set()
    await asyncio.gather(*tasks["one"])
    for player in players[15:]:
        await record_alone(account, created(player), joined(club, player, NOON))
    await until(30)
    stops["two"].set()
    await asyncio.gather(*tasks["two"])

    assert {row[1] for row in await memberships(bench)} == set(players)
    assert await bench.count("SELECT count(*) FROM transfer") == len(players)
    assert await parked(bench) == []


async def record_alone(account: Database, *facts: Fact) -> None:
    """Store facts of streams that nobody else writes; the loops put them in order."""
    for stream_id, event in facts:
        await account.store.append([StreamAppend(stream_id, 0, (event,))], recorded_at=NOON, caller=uuid4())
