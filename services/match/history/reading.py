"""Games of every mode, listed and read from their events for those who played them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from libs.eventsourcing.envelope import RecordedEvent
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused, invalid_field
from libs.runtime.names import match_name
from services.match.attempts import store as attempt_rows
from services.match.attempts.play import Attempts
from services.match.domain.history.attempts import attempt_story
from services.match.domain.history.pools import PoolStory
from services.match.domain.history.races import RaceStory
from services.match.domain.history.rounds import round_story
from services.match.domain.history.steps import Story
from services.match.domain.history.unsolvable import Spoiled, spoiled
from services.match.domain.listing import ListedAttempt, ListedMatch
from services.match.domain.position import Position
from services.match.domain.refusal import Refusal
from services.match.domain.rivals.sequence import goes_on
from services.match.domain.rivals.state import Over
from services.match.domain.state import Ended
from services.match.history import store as played_rows
from services.match.refusals import refused
from services.match.rounds import store as rows
from services.match.rounds.play import Rounds
from services.match.rounds.referee import Runs
from services.match.wire.history_listing import POOL, RACE, accounts_of, is_over, kind_of, story_of

KEPT_MAX: Final = 200
SINGLE_PLAYER: Final = "single_player"
Row = ListedAttempt | ListedMatch | bytes
"""What is known of a game in a list; bytes of a PlayedGame for races and the pool."""


@dataclass(frozen=True, slots=True)
class Told:
    """One round of a finished match, or a finished attempt."""

    stream_id: UUID
    mode: str
    number: int
    rounds: int
    story: Story


@dataclass(frozen=True, slots=True)
class ToldElsewhere:
    """A race or a game of the pool that is over."""

    match_id: UUID
    story: RaceStory | PoolStory


class Histories:
    """What players ask about their games. Every method raises Refused."""

    def __init__(
        self, attempts: Attempts, rounds: Rounds, database: Database, run: Runs, clock: Clock
    ) -> None:
        """Let `run` ask the solver: never the event loop."""
        self._clock = clock
        self._attempts = attempts
        self._rounds = rounds
        self._database = database
        self._run = run
        self._spoiled: OrderedDict[tuple[UUID, int], asyncio.Future[Spoiled]] = OrderedDict()

    async def listed(
        self, account_id: UUID, mode: str | None, before: UUID | None, limit: int
    ) -> list[tuple[UUID, Row]]:
        """An account's games, of one mode where it is named, newest first, older than `before`."""
        found: list[tuple[UUID, Row]] = []
        now = self._clock.now()
        with unavailable_is_told():
            async with self._database.engine.connect() as connection:
                if mode in {None, SINGLE_PLAYER}:
                    attempts = await attempt_rows.attempts_of(connection, account_id, before, limit)
                    found += [(row.attempt_id, row) for row in attempts]
                if mode not in {SINGLE_PLAYER, RACE, POOL}:
                    matches = await rows.matches_of(connection, account_id, before, limit, mode)
                    found += [(row.match_id, row) for row in matches]
                if mode in {None, RACE, POOL}:
                    found += await played_rows.played(connection, account_id, mode, before, limit)
        found.sort(key=lambda each: each[0], reverse=True)
        return [
            (match_id, await self._attempts.listed(row, now) if isinstance(row, ListedAttempt) else row)
            for match_id, row in found[:limit]
        ]

    async def read(self, match_id: UUID, account_id: UUID, number: int) -> Told | ToldElsewhere:
        """A round of a match (0: the first one), or a game of one board, that the account had a seat in."""
        with unavailable_is_told():
            async with self._database.engine.connect() as connection:
                rounds = await rows.rounds_of(connection, match_id)
        if not rounds:
            recorded = await self._database.store.load(match_id)
            if kind_of(recorded) is not None:
                return await self._elsewhere(match_id, account_id, number, recorded)
            return await self._attempt(match_id, account_id, number)
        last = await self._rounds.read(rounds[-1], account_id)
        if not isinstance(last, Over) or goes_on(last):
            raise running(match_id)
        if number > len(rounds):
            raise invalid_field("round_number", f"at most {len(rounds)}")
        round_id = rounds[max(0, number - 1)]
        story = round_story(await self._rounds.history(round_id))
        return Told(round_id, last.round.stage.mode, max(1, number), len(rounds), story)

    async def spoiled(self, told: Told) -> list[Spoiled]:
        """By seat, from where on its board was unsolvable; found once per process while it is remembered."""
        seats = range(len(told.story.accounts))
        return list(await asyncio.gather(*(asyncio.shield(self._asked(told, seat)) for seat in seats)))

    async def _elsewhere(
        self, match_id: UUID, account_id: UUID, number: int, recorded: list[RecordedEvent]
    ) -> ToldElsewhere:
        """A race or a game of the pool, if it is over."""
        if account_id not in accounts_of(recorded):
            raise refused(Refusal.NOT_YOURS, match_name(match_id))
        if not is_over(recorded):
            raise running(match_id)
        if number > 1:
            raise invalid_field("round_number", "at most 1")
        return ToldElsewhere(match_id, await asyncio.to_thread(story_of, recorded))

    async def _attempt(self, attempt_id: UUID, account_id: UUID, number: int) -> Told:
        state = await self._attempts.read(attempt_id, account_id)
        if not isinstance(state, Ended):
            raise running(attempt_id)
        if number > 1:
            raise invalid_field("round_number", "at most 1")
        return Told(attempt_id, SINGLE_PLAYER, 1, 1, attempt_story(await self._attempts.history(attempt_id)))

    def _asked(self, told: Told, seat: int) -> asyncio.Future[Spoiled]:
        key = (told.stream_id, seat)
        asked = self._spoiled.get(key)
        if asked is None or (asked.done() and (asked.cancelled() or asked.exception() is not None)):
            story = told.story
            dealt = Position(story.layout, story.faces, story.layout.full)
            asked = asyncio.ensure_future(self._run(spoiled, dealt, story.boards(seat)))
            self._spoiled[key] = asked
            if len(self._spoiled) > KEPT_MAX:
                self._spoiled.popitem(last=False)
        self._spoiled.move_to_end(key)
        return asked


def running(match_id: UUID) -> Refused:
    """The error of asking for the history of what is not over."""
    name = match_name(match_id)
    return Refused("MATCH_RUNNING", "the match is not over: its history is told afterwards", {"name": name})
