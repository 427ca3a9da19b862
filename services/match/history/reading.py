"""Finished games, read from their events for those who played them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from libs.runtime.errors import Refused, invalid_field
from libs.runtime.names import match_name
from services.match.attempts.play import Attempts
from services.match.domain.history.attempts import attempt_story
from services.match.domain.history.rounds import round_story
from services.match.domain.history.steps import Story
from services.match.domain.history.unsolvable import Spoiled, spoiled
from services.match.domain.position import Position
from services.match.domain.rivals.sequence import goes_on
from services.match.domain.rivals.state import Over
from services.match.domain.state import Ended
from services.match.rounds import store as rows
from services.match.rounds.play import Rounds
from services.match.rounds.referee import Runs

KEPT_MAX: Final = 200
SINGLE_PLAYER: Final = "single_player"


@dataclass(frozen=True, slots=True)
class Told:
    """One round of a finished match, or a finished attempt."""

    stream_id: UUID
    mode: str
    number: int
    rounds: int
    story: Story


class Histories:
    """What players ask about games that are over. Every method raises Refused."""

    def __init__(self, attempts: Attempts, rounds: Rounds, database: Database, run: Runs) -> None:
        """Let `run` ask the solver: never the event loop."""
        self._attempts = attempts
        self._rounds = rounds
        self._database = database
        self._run = run
        self._spoiled: OrderedDict[tuple[UUID, int], asyncio.Future[Spoiled]] = OrderedDict()

    async def read(self, match_id: UUID, account_id: UUID, number: int) -> Told:
        """A round of a match (0: the first one) that the account had a seat in."""
        with unavailable_is_told():
            async with self._database.engine.connect() as connection:
                rounds = await rows.rounds_of(connection, match_id)
        if not rounds:
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
