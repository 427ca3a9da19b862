"""Jokers across two services: asked for here, spent at the ledger, used here. Once, or not at all.

The round decides: a joker that is used was spent before, and a request that is given up can never be used, so
what the ledger took for it is given back afterwards, by whoever comes to it: this call, its repeat, or the
timer that stands since the request.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Final
from uuid import UUID

from libs.eventstore.faults import fault
from libs.eventstore.port import Request
from libs.eventstore.timers import timer_request
from libs.runtime.clock import Clock
from libs.runtime.names import match_name
from services.match.domain.refusal import Refusal
from services.match.domain.rivals.clocks import JOKER_DEADLINE
from services.match.domain.rivals.commands import GiveUpJoker, TakeJoker, UseJoker
from services.match.domain.rivals.events import (
    Event,
    JokerGivenUp,
    JokerRequested,
    JokerUsed,
)
from services.match.domain.rivals.evolve import evolve, initial
from services.match.domain.rivals.state import NotDealt, Over, PendingJoker, Player, Playing, State
from services.match.domain.rivals.terms import GiveUpReason
from services.match.refusals import refused
from services.match.rounds import SYSTEM, RoundPlayed, Rounds, joker_timer
from services.match.wire.joker_ledger import JokerLedger, LedgerSilent, Spend

AGAIN_S: Final = 0.1
"""Between two questions to a ledger that does not answer."""
SPEND_TIMEOUT_S: Final = 2.0


class Jokers:
    """The jokers of rounds."""

    def __init__(self, rounds: Rounds, ledger: JokerLedger, clock: Clock) -> None:
        """Play in `rounds`, spend at `ledger`."""
        self._rounds = rounds
        self._ledger = ledger
        self._clock = clock

    async def use(self, round_id: UUID, command: UseJoker, request: Request) -> RoundPlayed:
        """Use a joker; a repeat waits for the same outcome. Raises Refused."""
        asked = (await self._rounds.play(round_id, command, request)).events[0]
        assert isinstance(asked, JokerRequested), "what was asked for stands in the first fact"
        fault("joker.requested")
        await self._bring_about(round_id, asked.seat, asked.number)
        outcome = _outcome(await self._rounds.history(round_id), asked)
        if isinstance(outcome, Refusal):
            raise refused(outcome, match_name(await self._match_of(round_id)))
        return outcome

    async def fire(self, round_id: UUID, seat: int) -> None:
        """Bring what is open to its outcome, and give back what was taken for nothing.

        Raises LedgerSilent: then a timer calls again.
        """
        player = _player(await self._rounds.settle(round_id, self._clock.now()), seat)
        if player is not None and player.pending is not None:
            await self._bring_about(round_id, seat, player.pending.number)
            player = _player(await self._rounds.present(round_id), seat)
        if player is not None:
            for number in player.given_up:
                await self._ledger.give_back(self._key(round_id, player, number))

    async def _bring_about(self, round_id: UUID, seat: int, number: int) -> None:
        """Spend and use, or give up: until the request is no longer open."""
        while True:
            state = await self._rounds.settle(round_id, self._clock.now())
            player = _player(state, seat)
            assert player is not None, "a joker is asked for by a seat"
            pending = player.pending
            if pending is None or pending.number != number:
                break
            reason = await self._spend(round_id, player, pending)
            if reason is None:
                fault("joker.spent")
                take = TakeJoker(player.account_id, number, self._clock.now())
                await self._rounds.play(round_id, take, _request(round_id, seat, pending, "used"))
                fault("joker.used")
            else:
                lost = GiveUpJoker(player.account_id, number, reason, self._clock.now())
                await self._rounds.play(round_id, lost, _request(round_id, seat, pending, "given-up"))
        if number in player.given_up:
            try:
                await self._ledger.give_back(self._key(round_id, player, number))
            except LedgerSilent:
                return  # the timer of the request gives it back

    async def _spend(self, round_id: UUID, player: Player, pending: PendingJoker) -> GiveUpReason | None:
        """Take the joker; why not, if not. Asks again until the request's deadline."""
        key = self._key(round_id, player, pending.number)
        while (left := pending.requested_at + JOKER_DEADLINE - self._clock.now()) > timedelta():
            timeout_s = min(SPEND_TIMEOUT_S, left.total_seconds())
            try:
                spend = await self._ledger.spend(key, player.account_id, pending.requested_at, timeout_s)
            except LedgerSilent:
                await asyncio.sleep(AGAIN_S)
                continue
            if spend is Spend.SPENT:
                return None
            return GiveUpReason.NONE_OWNED if spend is Spend.NONE_OWNED else GiveUpReason.TOO_LATE
        return GiveUpReason.TOO_LATE

    def _key(self, round_id: UUID, player: Player, number: int) -> str:
        return f"match/{round_id}/joker/{player.account_id}/{number}"

    async def _match_of(self, round_id: UUID) -> UUID:
        state = await self._rounds.present(round_id)
        assert not isinstance(state, NotDealt)
        return state.round.match_id


def _player(state: State, seat: int) -> Player | None:
    return state.players[seat] if isinstance(state, Playing | Over) else None


def _request(round_id: UUID, seat: int, pending: PendingJoker, what: str) -> Request:
    """The key of an outcome: the same for whoever brings it about."""
    kind = f"{joker_timer(seat)}/{pending.number}/{what}"
    return timer_request(SYSTEM, round_id, kind, pending.requested_at)


def _outcome(history: list[Event], asked: JokerRequested) -> RoundPlayed | Refusal:
    """What came of a request: its facts with the round right after them, or why there are none."""
    state = initial()
    for at, event in enumerate(history):
        state = evolve(state, event)
        match event:
            case JokerUsed(seat=asked.seat, number=asked.number):
                player = _player(state, asked.seat)
                facts: tuple[Event, ...] = (event,)
                if player is not None and player.cleared:  # the end of the round belongs to it
                    facts = tuple(history[at : at + 3])
                    for following in facts[1:]:
                        state = evolve(state, following)
                assert not isinstance(state, NotDealt)
                return RoundPlayed(facts, state)
            case JokerGivenUp(seat=asked.seat, number=asked.number, reason=GiveUpReason.NONE_OWNED):
                return Refusal.NO_JOKER_OWNED
            case _:
                pass
    return Refusal.JOKER_TOO_LATE
