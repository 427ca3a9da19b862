"""How races begin: boards dealt in the transaction that seats the players, whichever process dies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from libs.eventsourcing.envelope import NewEvent
from libs.eventstore.port import STREAM_DOES_NOT_EXIST, Appended, StreamAppend, Transaction
from libs.eventstore.timers import set_timers
from libs.rules.solitaire.prng import SEED_BYTES
from services.match.domain.queueing import Queue, Seating
from services.match.domain.race.dealing import deal_race, deal_sha256
from services.match.domain.race.events import RaceDealt
from services.match.domain.race.group import Plan
from services.match.domain.race.settings import DEFAULTS, Difficulty, Settings, is_rated
from services.match.domain.race.terms import COUNTDOWN, RaceDeal, RaceSeat
from services.match.domain.spectating.modes import WatchedMode
from services.match.jokers import SYSTEM
from services.match.races.play import RACE_TIMER, stream_of
from services.match.rounds.store import claim_deal, claim_deals
from services.match.watching import live
from services.match.wire.race_codec import RaceCodec

OF_QUEUE = Plan(DEFAULTS, (), rated=True)
"""What strangers play: the defaults, for ratings."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A person about to race."""

    account_id: UUID
    difficulty: Difficulty


class BeginRaces:
    """Begins races. Everything happens in the caller's transaction, which seats the persons as well."""

    def __init__(self, randomness: Callable[[int], bytes]) -> None:
        """Deal from fresh seeds."""
        self._randomness = randomness

    async def begin(
        self,
        transaction: Transaction,
        race_id: UUID,
        group_id: UUID | None,
        plan: Plan,
        entrants: Sequence[Entrant],
        now: datetime,
    ) -> None:
        """Deal a race and begin its countdown."""
        difficulties = _difficulties(plan, entrants)
        deals = [await self._fresh(transaction, race_id, plan.settings, each) for each in difficulties]
        dealt = self._dealt(race_id, group_id, plan, entrants, deals, now)
        await _append_all_new(transaction, [dealt], now)
        seating = {race_id: tuple(entrant.account_id for entrant in entrants)}
        is_private, cpu_players = group_id is not None, len(plan.cpu_players)
        await live.enter(
            transaction.connection,
            WatchedMode.RACE,
            seating,
            now,
            private=is_private,
            cpu_players=cpu_players,
        )

    async def begin_all(
        self, transaction: Transaction, _queue: Queue, seating: Seating, now: datetime
    ) -> None:
        """Begin races of strangers, the defaults for ratings, by one statement a table for all of them."""
        difficulty = OF_QUEUE.settings.difficulty
        deals = await self._fresh_of_queue(transaction, list(seating))
        dealt = [
            self._dealt(
                race_id,
                None,
                OF_QUEUE,
                [Entrant(account_id, difficulty) for account_id in accounts],
                [deals[race_id]],
                now,
            )
            for race_id, accounts in seating.items()
        ]
        await _append_all_new(transaction, dealt, now)
        await live.enter(transaction.connection, WatchedMode.RACE, seating, now)

    def _dealt(
        self,
        race_id: UUID,
        group_id: UUID | None,
        plan: Plan,
        entrants: Sequence[Entrant],
        deals: Sequence[RaceDeal],
        now: datetime,
    ) -> RaceDealt:
        """The fact of a race with a deal for each difficulty, the easiest first."""
        settings, difficulties = plan.settings, _difficulties(plan, entrants)
        wanted = _wanted(plan, entrants)
        accounts = [entrant.account_id for entrant in entrants]
        seats = [RaceSeat(account, None, 0) for account in accounts]
        seats += [RaceSeat(None, level, 0) for level in plan.cpu_players]
        return RaceDealt(
            race_id,
            group_id,
            settings,
            is_rated(settings, len(accounts), len(plan.cpu_players), wanted=plan.rated),
            tuple(
                RaceSeat(seat.account_id, seat.cpu, difficulties.index(difficulty))
                for seat, difficulty in zip(seats, wanted, strict=True)
            ),
            tuple(deals),
            self._randomness(SEED_BYTES),
            now,
        )

    async def _fresh(
        self, transaction: Transaction, race_id: UUID, settings: Settings, difficulty: Difficulty
    ) -> RaceDeal:
        """A deal that nobody has had before."""
        while True:
            seed, nonce = self._randomness(SEED_BYTES), self._randomness(SEED_BYTES)
            deal = await asyncio.to_thread(deal_race, settings, difficulty, seed, nonce)
            if await claim_deal(transaction.connection, deal_sha256(deal), race_id):
                return deal

    async def _fresh_of_queue(
        self, transaction: Transaction, race_ids: Sequence[UUID]
    ) -> dict[UUID, RaceDeal]:
        """Deals of the defaults that nobody has had before, by race."""
        fresh: dict[UUID, RaceDeal] = {}
        while missing := [race_id for race_id in race_ids if race_id not in fresh]:
            deals = await asyncio.to_thread(self._some_of_queue, missing)
            hashes = {race_id: deal_sha256(deal) for race_id, deal in deals.items()}
            claimed = await claim_deals(transaction.connection, hashes)
            fresh |= {race_id: deals[race_id] for race_id in claimed}
        return fresh

    def _some_of_queue(self, race_ids: Sequence[UUID]) -> dict[UUID, RaceDeal]:
        settings, randomness = OF_QUEUE.settings, self._randomness
        return {
            race_id: deal_race(settings, settings.difficulty, randomness(SEED_BYTES), randomness(SEED_BYTES))
            for race_id in race_ids
        }


def _wanted(plan: Plan, entrants: Sequence[Entrant]) -> list[Difficulty]:
    """The difficulty of each seat: persons, then CPU players."""
    persons = [entrant.difficulty for entrant in entrants]
    return persons + [plan.settings.difficulty] * len(plan.cpu_players)


def _difficulties(plan: Plan, entrants: Sequence[Entrant]) -> list[Difficulty]:
    """Those of the seats, the easiest first."""
    return sorted(set(_wanted(plan, entrants)), key=list(Difficulty).index)


async def _append_all_new(transaction: Transaction, dealt: Sequence[RaceDealt], now: datetime) -> None:
    """Begin the streams of races, and wake them at their signal."""
    codec = RaceCodec()
    appends: list[StreamAppend] = []
    for fact in dealt:
        part, name, version, data = codec.encode(fact)
        events = (NewEvent(part, name, version, now, data),)
        appends.append(StreamAppend(stream_of(fact.race_id), STREAM_DOES_NOT_EXIST, events))
    appended = await transaction.append(appends, recorded_at=now, caller=SYSTEM)
    assert isinstance(appended, Appended), "new streams have no rivals"
    streams = [append.stream_id for append in appends]
    await set_timers(transaction.connection, streams, RACE_TIMER, now + COUNTDOWN)
