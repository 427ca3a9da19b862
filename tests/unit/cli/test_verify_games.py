"""`sparrow verify` finds a match of any mode in the feeds, with what it brought about elsewhere."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from libs.cli.verify.games import NotOver, NotThere, verify_match
from libs.cli.verify.ratings import ratings_before
from libs.cli.verify.recompute import Finding
from libs.eventsourcing.envelope import Part
from libs.eventsourcing.ids import uuid7
from libs.rules.solitaire.levels import level_deal
from services.ledger.assets import Asset
from services.ledger.events import TransferPosted
from services.ledger.wire import events as ledger_wire
from services.match import events as ev
from services.match.commands import Deal
from services.match.domain.pool.dealing import deal_pool
from services.match.domain.race.dealing import deal_race
from services.match.domain.race.rating import Rating
from services.match.domain.race.settings import DEFAULTS, Difficulty
from services.match.wire.event_codec import EventCodec
from services.match.wire.pool_codec import PoolCodec
from services.match.wire.pool_ledger import escrow_account, stake_key
from services.match.wire.race_codec import RaceCodec
from tests.support.attempts import ANA, BEN, START, after
from tests.support.pools import LIMIT_MS, PoolTable
from tests.support.race_table import RaceTable
from tests.support.stored_feeds import Stored

HOUR = 3_600_000
MATCH = uuid7(START, bytes(10))
OTHER = uuid7(START, bytes(9) + b"1")
SEED, NONCE = bytes(range(32)), bytes(range(3, 35))


def _wrong(found: Any) -> set[str]:
    assert isinstance(found, list), found
    assert all(isinstance(finding, Finding) for finding in found)
    return {finding.what for finding in found if not finding.ok}


def _rated(ratings: dict[UUID, Rating], ms: int) -> RaceTable:
    deal = deal_race(DEFAULTS, Difficulty.EASY, SEED, NONCE)
    table = RaceTable.begun([ANA, BEN], deal, rated=True)
    table.ratings = ratings
    table.remove(ms, ANA, *deal.certificate[0])
    return table.until(HOUR)


async def test_a_rated_race_is_found_with_the_ratings_before_it() -> None:
    """Of the last rated race of each player."""
    first = _rated({}, 100)
    change = first.ended.ends[0].rating, first.ended.ends[1].rating
    ratings = {
        account: Rating(each.mu, each.sigma, 1)
        for account, each in zip((ANA, BEN), change, strict=True)
        if each is not None
    }
    second = _rated(ratings, 200)
    stored, codec = Stored(), RaceCodec()
    ahead = first.ended
    stored.add("match", OTHER, 1, codec.encode(_named(ahead, OTHER)), after(0) - timedelta(hours=1))
    stored.play(MATCH, codec, [_named(event, MATCH) for event in second.events])

    assert await ratings_before(stored, _named(second.ended, MATCH)) == ratings
    assert _wrong(await verify_match(stored, MATCH)) == set()
    del stored.entries["match", Part.FACTS][0]
    assert _wrong(await verify_match(stored, MATCH)) == {"ratings"}


def _named(event: Any, race_id: UUID) -> Any:
    return replace(event, race_id=race_id) if hasattr(event, "race_id") else event


async def test_a_pool_match_is_found_with_its_transfers() -> None:
    """Out of the ledger's feed; a stake that never came is missed."""
    table = PoolTable(deal_pool(SEED, NONCE), (ANA, BEN)).started()
    table.wait_until(3_000 + LIMIT_MS)
    stored = Stored()
    stored.play(MATCH, PoolCodec(), table.events)
    escrow = escrow_account(MATCH)
    for back_ms in (0, LIMIT_MS + 4_000):
        for number, account in enumerate((ANA, BEN), 1):
            key, player = stake_key(MATCH, account), f"players/{account}"
            each, debit, credit, reverses = (
                (f"reversal/{key}", escrow, player, key) if back_ms else (key, player, escrow, "")
            )
            at = after(back_ms)
            fact = TransferPosted(
                each, Asset.CHIP, debit, credit, 100, "POOL_STAKE", at, START.date(), "", "", reverses
            )
            new = ledger_wire.encode(fact, at)
            entry = (new.part, new.type, new.schema_version, new.data)
            stored.add("ledger", UUID(int=number), 2 if back_ms else 1, entry, at)

    found = await verify_match(stored, MATCH)

    assert isinstance(found, list)
    assert [finding.what for finding in found] == ["events", "deal", "scores", "result", "escrow"]
    assert _wrong(found) == set(), found
    stored.entries["ledger", Part.FACTS].pop(0)
    assert _wrong(await verify_match(stored, MATCH)) == {"escrow"}


async def test_a_match_that_goes_on_or_never_was_is_told_apart() -> None:
    """Its deals are secret as long as it goes on."""
    stored = Stored()
    stored.play(MATCH, PoolCodec(), PoolTable(deal_pool(SEED, NONCE), (ANA, BEN)).started().events)

    assert isinstance(await verify_match(stored, MATCH), NotOver)
    assert isinstance(await verify_match(stored, OTHER), NotThere)
    assert isinstance(await verify_match(Stored(), MATCH), NotThere)


async def test_an_attempt_is_found() -> None:
    """Of one player, at a level."""
    made = level_deal(7)
    deal = Deal(7, made.catalogue_version, False, made.layout, "Some", made.faces)
    stored = Stored()
    stored.play(MATCH, EventCodec(), [ev.AttemptStarted(ANA, deal, START), ev.AttemptLeft(ANA, 7, after(5))])

    assert _wrong(await verify_match(stored, MATCH)) == set()
