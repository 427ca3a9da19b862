"""Jokers across two services: asked for here, spent at the ledger, used here. Once, or not at all.

The game decides: a joker that is used was spent before, and a request that is given up can never be used, so
what the ledger took for it is given back afterwards, by whoever comes to it: this call, its repeat, or the
timer that stands since the request.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol
from uuid import NAMESPACE_URL, UUID, uuid5

from libs.eventstore.faults import fault
from libs.eventstore.port import Request
from libs.eventstore.timers import timer_request
from libs.runtime.clock import Clock
from services.match.commands import GiveUpReason
from services.match.domain.partner import JOKER_DEADLINE
from services.match.wire.joker_ledger import JokerLedger, LedgerSilent, Spend

AGAIN_S: Final = 0.1
"""Between two questions to a ledger that does not answer."""
SPEND_TIMEOUT_S: Final = 2.0
SYSTEM: Final = uuid5(NAMESPACE_URL, "sparrow:service:match")
"""The caller of what no player ordered."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request whose outcome is open."""

    number: int
    requested_at: datetime


@dataclass(frozen=True, slots=True)
class Held:
    """What a game knows of the jokers of one seat."""

    account_id: UUID
    pending: Asked | None
    given_up: tuple[int, ...]


class JokerGame(Protocol):
    """A kind of game with jokers."""

    async def held(self, stream_id: UUID, seat: int) -> Held | None:
        """Return what is open for a seat, deadlines settled; None where nobody plays yet."""
        ...

    async def take(self, stream_id: UUID, held: Held, number: int, request: Request) -> None:
        """Let the joker work that was spent; nothing where the request is no longer open."""
        ...

    async def give_up(
        self, stream_id: UUID, held: Held, number: int, reason: GiveUpReason, request: Request
    ) -> None:
        """Drop the request; nothing where it is no longer open."""
        ...


class Jokers:
    """Brings requests to their outcome."""

    def __init__(self, ledger: JokerLedger, clock: Clock) -> None:
        """Spend at `ledger`."""
        self._ledger = ledger
        self._clock = clock

    async def bring_about(self, game: JokerGame, stream_id: UUID, seat: int, number: int) -> None:
        """Spend and use, or give up: until the request is no longer open."""
        while True:
            held = await game.held(stream_id, seat)
            assert held is not None, "a joker is asked for by a seat"
            asked = held.pending
            if asked is None or asked.number != number:
                break
            reason = await self._spend(stream_id, held, asked)
            if reason is None:
                fault("joker.spent")
                await game.take(stream_id, held, number, _request(stream_id, seat, asked, "used"))
                fault("joker.used")
            else:
                request = _request(stream_id, seat, asked, "given-up")
                await game.give_up(stream_id, held, number, reason, request)
        if number in held.given_up:
            try:
                await self._ledger.give_back(_key(stream_id, held, number))
            except LedgerSilent:
                return  # the timer of the request gives it back

    async def fire(self, game: JokerGame, stream_id: UUID, seat: int) -> None:
        """Bring what is open to its outcome, and give back what was taken for nothing.

        Raises LedgerSilent: then the timer calls again.
        """
        held = await game.held(stream_id, seat)
        if held is not None and held.pending is not None:
            await self.bring_about(game, stream_id, seat, held.pending.number)
            held = await game.held(stream_id, seat)
        if held is not None:
            for number in held.given_up:
                await self._ledger.give_back(_key(stream_id, held, number))

    async def _spend(self, stream_id: UUID, held: Held, asked: Asked) -> GiveUpReason | None:
        """Take the joker; why not, if not. Asks again until the request's deadline."""
        key = _key(stream_id, held, asked.number)
        while (left := asked.requested_at + JOKER_DEADLINE - self._clock.now()) > timedelta():
            timeout_s = min(SPEND_TIMEOUT_S, left.total_seconds())
            try:
                spend = await self._ledger.spend(key, held.account_id, asked.requested_at, timeout_s)
            except LedgerSilent:
                await asyncio.sleep(AGAIN_S)
                continue
            if spend is Spend.SPENT:
                return None
            return GiveUpReason.NONE_OWNED if spend is Spend.NONE_OWNED else GiveUpReason.TOO_LATE
        return GiveUpReason.TOO_LATE


def _key(stream_id: UUID, held: Held, number: int) -> str:
    """The idempotency key at the ledger."""
    return f"match/{stream_id}/joker/{held.account_id}/{number}"


def _request(stream_id: UUID, seat: int, asked: Asked, what: str) -> Request:
    """The key of an outcome: the same for whoever brings it about."""
    return timer_request(SYSTEM, stream_id, f"joker/{seat}/{asked.number}/{what}", asked.requested_at)
