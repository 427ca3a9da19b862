"""How races begin: boards dealt in the transaction that seats the players, whichever process dies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from libs.eventsourcing.envelope import NewEvent
from libs.eventstore.port import STREAM_DOES_NOT_EXIST, Appended, StreamAppend, Transaction
from libs.eventstore.timers import set_timer
from libs.rules.solitaire.prng import SEED_BYTES
from services.match.domain.race.dealing import deal_race, deal_sha256
from services.match.domain.race.events import RaceDealt
from services.match.domain.race.group import Plan
from services.match.domain.race.settings import DEFAULTS, Difficulty, Settings, is_rated
from services.match.domain.race.terms import COUNTDOWN, RaceDeal, RaceSeat
from services.match.jokers import SYSTEM
from services.match.races.play import RACE_TIMER, stream_of
from services.match.rounds.store import claim_deal
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
        settings = plan.settings
        wanted = [entrant.difficulty for entrant in entrants]
        wanted += [settings.difficulty] * len(plan.cpu_players)
        difficulties = sorted(set(wanted), key=list(Difficulty).index)
        deals = [await self._fresh(transaction, race_id, settings, each) for each in difficulties]
        accounts = [entrant.account_id for entrant in entrants]
        seats = [RaceSeat(account, None, 0) for account in accounts]
        seats += [RaceSeat(None, level, 0) for level in plan.cpu_players]
        dealt = RaceDealt(
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
        part, name, version, data = RaceCodec().encode(dealt)
        stream_id = stream_of(race_id)
        events = (NewEvent(part, name, version, now, data),)
        appended = await transaction.append(
            [StreamAppend(stream_id, STREAM_DOES_NOT_EXIST, events)], recorded_at=now, caller=SYSTEM
        )
        assert isinstance(appended, Appended), f"{stream_id} is new"
        await set_timer(transaction.connection, stream_id, RACE_TIMER, now + COUNTDOWN)

    async def _fresh(
        self, transaction: Transaction, race_id: UUID, settings: Settings, difficulty: Difficulty
    ) -> RaceDeal:
        """A deal that nobody has had before."""
        while True:
            seed, nonce = self._randomness(SEED_BYTES), self._randomness(SEED_BYTES)
            deal = await asyncio.to_thread(deal_race, settings, difficulty, seed, nonce)
            if await claim_deal(transaction.connection, deal_sha256(deal), race_id):
                return deal
