"""Jokers in rounds of several seats."""

from __future__ import annotations

from uuid import UUID

from libs.eventstore.faults import fault
from libs.eventstore.port import Request
from libs.runtime.clock import Clock
from libs.runtime.names import match_name
from services.match.commands import GiveUpJoker, GiveUpReason, TakeJoker, UseJoker
from services.match.domain.refusal import Refusal
from services.match.domain.rivals.events import Event, JokerGivenUp, JokerRequested, JokerUsed
from services.match.domain.rivals.evolve import evolve, initial
from services.match.domain.rivals.state import NotDealt, Over, Playing
from services.match.jokers import Asked, Held, Jokers
from services.match.refusals import refused
from services.match.rounds.play import RoundPlayed, Rounds


class RoundJokers:
    """The jokers of rounds: a JokerGame."""

    def __init__(self, rounds: Rounds, jokers: Jokers, clock: Clock) -> None:
        """Play in `rounds`."""
        self._rounds = rounds
        self._jokers = jokers
        self._clock = clock

    async def use(self, round_id: UUID, command: UseJoker, request: Request) -> RoundPlayed:
        """Use a joker; a repeat waits for the same outcome. Raises Refused."""
        played = await self._rounds.play(round_id, command, request)
        round_id, asked = played.round_id, played.events[0]
        assert isinstance(asked, JokerRequested), "what was asked for stands in the first fact"
        fault("joker.requested")
        await self._jokers.bring_about(self, round_id, asked.seat, asked.number)
        outcome = _outcome(round_id, await self._rounds.history(round_id), asked)
        if isinstance(outcome, Refusal):
            state = await self._rounds.present(round_id)
            assert not isinstance(state, NotDealt)
            raise refused(outcome, match_name(state.round.match_id))
        return outcome

    async def fire(self, round_id: UUID, seat: int) -> None:
        """Do what the timer of a request stands for. Raises LedgerSilent."""
        await self._jokers.fire(self, round_id, seat)

    async def held(self, stream_id: UUID, seat: int) -> Held | None:
        """What is open for a seat, deadlines settled."""
        state = await self._rounds.settle(stream_id, self._clock.now())
        if not isinstance(state, Playing | Over):
            return None
        player = state.players[seat]
        pending = player.pending
        asked = None if pending is None else Asked(pending.number, pending.requested_at)
        return Held(player.account_id, asked, player.given_up)

    async def take(self, stream_id: UUID, held: Held, number: int, request: Request) -> None:
        """Let the joker work that was spent."""
        await self._rounds.play(stream_id, TakeJoker(held.account_id, number, self._clock.now()), request)

    async def give_up(
        self, stream_id: UUID, held: Held, number: int, reason: GiveUpReason, request: Request
    ) -> None:
        """Drop the request."""
        lost = GiveUpJoker(held.account_id, number, reason, self._clock.now())
        await self._rounds.play(stream_id, lost, request)


def _outcome(round_id: UUID, history: list[Event], asked: JokerRequested) -> RoundPlayed | Refusal:
    """What came of a request: its facts with the round right after them, or why there are none."""
    state = initial()
    for at, event in enumerate(history):
        state = evolve(state, event)
        match event:
            case JokerUsed(seat=asked.seat, number=asked.number):
                assert isinstance(state, Playing)
                facts: tuple[Event, ...] = (event,)
                if state.players[asked.seat].cleared:  # the end of the round belongs to it
                    facts = tuple(history[at : at + 3])
                    for following in facts[1:]:
                        state = evolve(state, following)
                assert not isinstance(state, NotDealt)
                return RoundPlayed(round_id, facts, state)
            case JokerGivenUp(seat=asked.seat, number=asked.number, reason=GiveUpReason.NONE_OWNED):
                return Refusal.NO_JOKER_OWNED
            case _:
                pass
    return Refusal.JOKER_TOO_LATE
