"""`sparrow replay` over a range: races and the pool, ratings ahead of them, and what the ledger booked."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from libs.cli.replay.rerun import Rerun, rerun
from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent
from libs.eventsourcing.ids import uuid7
from services.ledger.assets import HOUSE_RATINGS, Asset
from services.ledger.events import TransferPosted
from services.ledger.wire import events as ledger_wire
from services.match.domain.pool.dealing import certificate_of, deal_pool
from services.match.domain.race.dealing import deal_race
from services.match.domain.race.rating import Rating
from services.match.domain.race.settings import DEFAULTS, Difficulty
from services.match.wire.pool_codec import PoolCodec
from services.match.wire.pool_ledger import escrow_account, pot_key, stake_key
from services.match.wire.race_codec import RaceCodec
from tests.support.attempts import ANA, BEN, START, after
from tests.support.pools import PoolTable
from tests.support.race_table import RaceTable

SEED, NONCE = bytes(range(32)), bytes(range(3, 35))
EARLIER_MS = 7_200_000
FIRST = uuid7(START - timedelta(milliseconds=EARLIER_MS), b"1" * 10)
SECOND, POT = (uuid7(START, bytes([number]) * 10) for number in (2, 3))


class Log:
    """The feeds of the match service and of the ledger, in the order of what happened."""

    def __init__(self) -> None:
        self.stored: list[tuple[str, RecordedEvent]] = []

    def play(self, stream_id: UUID, codec: Any, events: list[Any]) -> None:
        """Add a whole stream."""
        for version, event in enumerate(events, 1):
            part, kind, schema, data = codec.encode(event)
            self._add("match", stream_id, version, part, kind, schema, event.occurred_at, data)

    def book(self, key: str, asset: Asset, debit: str, credit: str, amount: int, at: Any) -> None:
        """Add a transfer."""
        fact = TransferPosted(key, asset, debit, credit, amount, "TEST", at, START.date(), "", "", "")
        new = ledger_wire.encode(fact, at)
        number = len(self.stored) + 1
        self._add("ledger", UUID(int=number), 1, new.part, new.type, new.schema_version, at, new.data)

    def _add(
        self,
        service: str,
        stream_id: UUID,
        version: int,
        part: Part,
        kind: str,
        schema: int,
        at: Any,
        data: Any,
    ) -> None:
        event = RecordedEvent(stream_id, version, part, kind, schema, at, at, ANA, None, 0, data)
        self.stored.append((service, event))

    async def feed_source(self, service: str, part: Part) -> str:
        """There is one."""
        return f"test/{service}/{part}"

    async def read_feed(
        self, service: str, part: Part, from_sequence: int, page_size: int = 0
    ) -> tuple[list[FeedEntry], int]:
        """A page."""
        of_feed = [each for name, each in self.stored if (name, each.part) == (service, part)]
        of_feed.sort(key=lambda each: each.occurred_at)
        feed = [
            FeedEntry(number, each.occurred_at, bytes(32), each) for number, each in enumerate(of_feed, 1)
        ]
        return feed[from_sequence - 1 : from_sequence - 1 + (page_size or 1_000)], len(feed)


def _race(race_id: UUID, ratings: dict[UUID, Rating], earlier_ms: int = 0) -> list[Any]:
    """Ana clears, Ben gives up."""
    deal = deal_race(DEFAULTS, Difficulty.EASY, SEED, NONCE)
    table = RaceTable.begun([ANA, BEN], deal, rated=True)
    table.ratings = ratings
    for number, pair in enumerate(deal.certificate):
        table.remove(100 * number, ANA, *pair)
    table.give_up(9_000, BEN)
    back = timedelta(milliseconds=earlier_ms)
    return [_moved(event, race_id, back) for event in table.events]


def _moved(event: Any, race_id: UUID, back: timedelta) -> Any:
    own = {"race_id": race_id} if hasattr(event, "race_id") else {}
    return replace(event, occurred_at=event.occurred_at - back, **own)


def _played() -> Log:
    """A race two hours before the range; in it another one of the same players, and a match for a pot."""
    first, log = _race(FIRST, {}, EARLIER_MS), Log()
    left = {
        account: Rating(end.rating.mu, end.rating.sigma, 1)
        for account, end in zip((ANA, BEN), first[-1].ends, strict=True)
    }
    second = _race(SECOND, left)
    log.play(FIRST, RaceCodec(), first)
    log.play(SECOND, RaceCodec(), second)
    for account, end in zip((ANA, BEN), second[-1].ends, strict=True):
        move, player = end.rating.after - end.rating.before, f"players/{account}"
        sides = (HOUSE_RATINGS, player) if move > 0 else (player, HOUSE_RATINGS)
        log.book(f"match/{SECOND}/race/{account}", Asset.RATING, *sides, abs(move), after(20_000))
    pot = PoolTable(deal_pool(SEED, NONCE), (ANA, BEN)).started()
    for number, pair in enumerate(certificate_of(SEED)[:3]):
        pot.pair(*pair, seat=number % 2, ms=4_000 + number)
    pot.leave(0, 5_000)
    pot.leave(1, 6_000)
    log.play(POT, PoolCodec(), pot.events)
    escrow = escrow_account(POT)
    for number, account in enumerate((ANA, BEN)):
        log.book(stake_key(POT, account), Asset.CHIP, f"players/{account}", escrow, 100, after(10))
        if pot.payouts[number]:
            key = pot_key(POT, account)
            log.book(key, Asset.CHIP, escrow, f"players/{account}", pot.payouts[number], after(7_000))
    return log


async def _rerun(log: Log, now_ms: int = 600_000) -> Rerun:
    return await rerun(log, START, None, lambda _done, _of: None, lambda: after(now_ms))


async def test_races_and_the_pool_of_a_range_come_out_as_they_were() -> None:
    """The ratings ahead of the race come from a race before the range."""
    found = await _rerun(_played())

    assert (found.races, found.pools, found.running) == (1, 1, 0)
    assert found.differences == []


@pytest.mark.parametrize(
    ("key", "named"),
    [
        (f"match/{SECOND}/race/{ANA}", SECOND),
        (stake_key(POT, BEN), POT),
        (pot_key(POT, ANA), POT),
    ],
)
async def test_a_transfer_that_is_missing_is_named_unless_the_game_has_just_ended(
    key: str, named: UUID
) -> None:
    """A rating, a stake, a pot; the ledger has a minute."""
    log = _played()
    log.stored = [each for each in log.stored if key.encode() not in each[1].data]

    [(name, said)] = (await _rerun(log)).differences

    assert name == f"matches/{named}"
    assert key in said
    assert (await _rerun(log, now_ms=60_000)).differences == []


async def test_without_the_race_before_it_the_ratings_come_out_otherwise() -> None:
    """What is not in the log cannot have led to them."""
    log = _played()
    log.stored = [each for each in log.stored if each[1].stream_id != FIRST]

    [(name, said)] = (await _rerun(log)).differences

    assert name == f"matches/{SECOND}"
    assert "RaceEnded" in said


async def test_what_is_being_played_is_counted_apart() -> None:
    """A race and a pot without their ends."""
    log = _played()
    ends = {"sparrow.match.race_ended.v1", "sparrow.match.pool_deal_revealed.v1"}
    log.stored = [each for each in log.stored if each[1].type not in ends]

    found = await _rerun(log)

    assert (found.races, found.pools, found.running) == (0, 0, 2)
