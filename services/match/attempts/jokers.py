"""Jokers in attempts at a level."""

from __future__ import annotations

from uuid import UUID

from libs.eventstore.faults import fault
from libs.eventstore.port import Request
from libs.runtime.clock import Clock
from libs.runtime.names import match_name
from services.match.attempts.play import Attempts, Choose, Played
from services.match.commands import GiveUpJoker, GiveUpReason, TakeJoker, UseJoker
from services.match.domain.evolve import evolve, initial
from services.match.domain.refusal import Refusal
from services.match.domain.state import Ended, NotStarted, Running
from services.match.events import AttemptCleared, Event, JokerGivenUp, JokerRequested, JokerUsed
from services.match.jokers import Asked, Held, Jokers
from services.match.refusals import refused


class AttemptJokers:
    """The jokers of attempts: a JokerGame. An attempt has one seat, 0."""

    def __init__(self, attempts: Attempts, jokers: Jokers, choose: Choose, clock: Clock) -> None:
        """Play in `attempts`; `choose` finds the partner where there are several."""
        self._attempts = attempts
        self._jokers = jokers
        self._choose = choose
        self._clock = clock

    async def use(self, attempt_id: UUID, command: UseJoker, request: Request) -> Played:
        """Use a joker; a repeat waits for the same outcome. Raises Refused."""
        played = await self._attempts.ask_for_joker(attempt_id, command, request, self._choose)
        asked = played.events[0]
        assert isinstance(asked, JokerRequested), "what was asked for stands in the first fact"
        fault("joker.requested")
        await self._jokers.bring_about(self, attempt_id, asked.seat, asked.number)
        outcome = _outcome(attempt_id, await self._attempts.history(attempt_id), asked)
        if isinstance(outcome, Refusal):
            raise refused(outcome, match_name(attempt_id))
        return outcome

    async def fire(self, attempt_id: UUID) -> None:
        """Do what the timer of a request stands for. Raises LedgerSilent."""
        await self._jokers.fire(self, attempt_id, 0)

    async def held(self, stream_id: UUID, seat: int) -> Held | None:
        """What is open in an attempt."""
        assert seat == 0, "an attempt has one seat"
        state = await self._attempts.present(stream_id)
        if isinstance(state, NotStarted):
            return None
        pending = state.jokers.pending
        asked = None if pending is None else Asked(pending.number, pending.requested_at)
        return Held(state.attempt.account_id, asked, state.jokers.given_up)

    async def take(self, stream_id: UUID, held: Held, number: int, request: Request) -> None:
        """Let the joker work that was spent."""
        take = TakeJoker(held.account_id, number, self._clock.now())
        await self._attempts.decide_joker(stream_id, take, request)

    async def give_up(
        self, stream_id: UUID, held: Held, number: int, reason: GiveUpReason, request: Request
    ) -> None:
        """Drop the request."""
        lost = GiveUpJoker(held.account_id, number, reason, self._clock.now())
        await self._attempts.decide_joker(stream_id, lost, request)


def _outcome(attempt_id: UUID, history: list[Event], asked: JokerRequested) -> Played | Refusal:
    """What came of a request: its facts with the attempt right after them, or why there are none."""
    state = initial()
    for at, event in enumerate(history):
        state = evolve(state, event)
        match event:
            case JokerUsed(number=asked.number):
                assert isinstance(state, Running)
                if state.seat.position.tiles_left:
                    return Played(attempt_id, (event,), state)
                cleared = history[at + 1]  # the clearing belongs to it
                assert isinstance(cleared, AttemptCleared)
                ended = evolve(state, cleared)
                assert isinstance(ended, Ended)
                return Played(attempt_id, (event, cleared), ended)
            case JokerGivenUp(number=asked.number, reason=GiveUpReason.NONE_OWNED):
                return Refusal.NO_JOKER_OWNED
            case _:
                pass
    return Refusal.JOKER_TOO_LATE
