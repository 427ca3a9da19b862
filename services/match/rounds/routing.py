"""From a match to the round that it is in: a round that is over leads on to the one after it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from libs.eventsourcing.following import End, Seen
from libs.eventstore.port import Request
from libs.runtime.errors import Refused
from services.match.domain.refusal import Refusal
from services.match.domain.rivals.commands import Command, UseJoker
from services.match.domain.rivals.events import Event
from services.match.domain.rivals.sequence import goes_on
from services.match.domain.rivals.state import Dealt, State
from services.match.rounds.directory import Directory
from services.match.rounds.jokers import RoundJokers
from services.match.rounds.play import RoundHub, RoundPlayed, Rounds

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """A round of a match, as the directory knew it: the match may have gone on since."""

    match_id: UUID
    round_id: UUID


class MatchRounds:
    """What a player of a match of several seats does in it. Every method raises Refused."""

    def __init__(self, rounds: Rounds, jokers: RoundJokers, directory: Directory, hub: RoundHub) -> None:
        """Find rounds in `directory`."""
        self._rounds = rounds
        self._jokers = jokers
        self._directory = directory
        self._hub = hub

    async def find(self, match_id: UUID) -> Place | None:
        """A round of a match of several seats; None where the id names none."""
        round_id = await self._directory.round_of(match_id)
        return None if round_id is None else Place(match_id, round_id)

    async def play(self, place: Place, command: Command, request: Request) -> RoundPlayed:
        """Carry out a command in the round that is played; a repeat gets the answer of its own round."""
        return await self._where_it_goes_on(
            place, lambda round_id: self._rounds.play(round_id, command, request)
        )

    async def use_joker(self, place: Place, command: UseJoker, request: Request) -> RoundPlayed:
        """Use a joker in the round that is played."""
        return await self._where_it_goes_on(
            place, lambda round_id: self._jokers.use(round_id, command, request)
        )

    async def read(self, place: Place, account_id: UUID) -> Dealt:
        """The round that is played, or the last one, as it stands now."""
        while True:
            state = await self._rounds.read(place.round_id, account_id)
            following = await self._after(place) if goes_on(state) else None
            if following is None:
                return state
            place = following

    async def follow(
        self, place: Place, account_id: UUID, session_id: UUID, after_version: int | None, opened_at: datetime
    ) -> AsyncGenerator[tuple[UUID, Seen[State, Event]], None]:
        """What the seat of an account sees, with the round it is about: each round after the other.

        The stream keeps the age it was opened with: who took the seat since then keeps it in later rounds.
        """
        while True:
            await self._rounds.read(place.round_id, account_id)
            seen_by = self._hub.follow(place.round_id, account_id, session_id, after_version, opened_at)
            following: Place | None = None
            async with aclosing(seen_by) as stream:
                async for seen in stream:
                    if isinstance(seen, End) and goes_on(await self._rounds.present(place.round_id)):
                        following = await self._after(place) if seen.reason == "MATCH_ENDED" else None
                    if following is None:
                        yield place.round_id, seen
            if following is None:
                return
            place, after_version = following, None

    async def _where_it_goes_on(self, place: Place, act: Callable[[UUID], Awaitable[T]]) -> T:
        """Act in a round; where it is over, in the one after it."""
        while True:
            try:
                return await act(place.round_id)
            except Refused as refused:
                if refused.reason != Refusal.MATCH_ENDED.value:
                    raise
                following = await self._after(place)
                if following is None:
                    raise
                place = following

    async def _after(self, place: Place) -> Place | None:
        round_id = await self._directory.round_after(place.match_id, place.round_id)
        return None if round_id is None else Place(place.match_id, round_id)
