"""Everything the match service needs for races, composed."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from libs.eventstore.outage import Outages
from libs.eventstore.postgres.database import Database
from libs.eventstore.repository import Repository
from libs.eventstore.timers import Fire
from libs.eventstore.wake import Wake
from libs.following.hub import WatchHub
from libs.runtime.service import Loop, Runtime
from services.match.domain.queueing import Queue
from services.match.domain.race import evolve as evolution
from services.match.races.begin import BeginRaces
from services.match.races.groups import Groups
from services.match.races.matchmaker import RaceMatchmaker
from services.match.races.play import RACE_KIND, RACE_TIMER, RaceHub, RaceRepository, Races
from services.match.races.records import Records
from services.match.races.servicer import RaceServicer
from services.match.rounds.referee import Runs
from services.match.wire.race_codec import RaceCodec


class RaceParts:
    """The races of one process."""

    def __init__(
        self,
        runtime: Runtime,
        database: Database,
        run: Runs,
        outages: Outages,
        seen_by_workers: Outages,
        wake: Wake,
    ) -> None:
        """`outages` is what a serving process knows, `seen_by_workers` what one does that only works."""
        store, clock, randomness = database.store, runtime.clock, runtime.randomness
        codec = RaceCodec()
        repository: RaceRepository = Repository(evolution, codec, store)
        self.hub: RaceHub = WatchHub(RACE_KIND, codec, store, runtime.bus, clock)

        def races(known: Outages) -> Races:
            return Races(store, repository, run, known, randomness, clock, wake, self.hub)

        self.beginnings = BeginRaces(randomness)
        self._at_work = races(seen_by_workers)
        self._groups = Groups(store, self.beginnings, randomness, wake)
        records = Records(database)
        self.servicer = RaceServicer(self._groups, races(outages), records, self.hub, clock, runtime.opaque)
        matchmaker = RaceMatchmaker(
            store, self.beginnings.begin_all, runtime.bus, clock.now, randomness, queue=Queue.RACE
        )
        self.serving = (Loop("match.watch_races", self.hub.run),)
        self.working = (Loop("match.matchmaker.race", matchmaker.run),)

    def or_else(self, fire: Fire) -> Fire:
        """What fires timers of races itself, and every other one by `fire`."""

        async def either(stream_id: UUID, kind: str, due: datetime) -> datetime | None:
            if kind == RACE_TIMER:
                return await self._at_work.fire(stream_id, due)
            return await fire(stream_id, kind, due)

        return either

    async def drain(self) -> None:
        """End every stream."""
        await self._groups.drain()
        await self.hub.drain()
