"""Stakes and pots across two services: every chip that goes into escrow comes out of it, once.

The game decides and the ledger follows, as with jokers. A stake that the ledger took is entered in the game,
or is taken back where the game had decided against the seat meanwhile. When the game is over its payouts are
facts: they are posted under their keys until each stands. Whoever dies anywhere, the timer of the escrow
stands since the deal, and again since the end, and begins anew.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from libs.eventstore.faults import fault
from libs.eventstore.timers import timer_request
from libs.runtime.clock import Clock
from services.match.domain.pool.commands import RefuseStake, TakeStake
from services.match.domain.pool.state import Dealt, State
from services.match.domain.pool.terms import Phase, PoolEnding, Stake, StakeRefusal
from services.match.jokers import SYSTEM
from services.match.pools.begin import ESCROW_TIMER
from services.match.pools.play import Pools
from services.match.wire.joker_ledger import LedgerSilent
from services.match.wire.pool_ledger import PoolLedger, Staked

AGAIN: Final = timedelta(milliseconds=200)
"""Until the ledger is asked again that did not answer."""


class Escrow:
    """Brings stakes and pots to where they belong."""

    def __init__(self, pools: Pools, ledger: PoolLedger, clock: Clock) -> None:
        """Enter in `pools` what `ledger` says."""
        self._pools = pools
        self._ledger = ledger
        self._clock = clock

    async def fire(self, game_id: UUID, due: datetime) -> datetime | None:
        """Do what is open now; return when to look again, None when nothing is left."""
        try:
            await self._collect(game_id)
            state = await self._pools.settle(game_id, self._clock.now())
            assert isinstance(state, Dealt), "the escrow of a game that was dealt"
            await self._give_back(game_id, state)
            if state.phase is Phase.OVER:
                await self._pay_out(game_id, state)
        except LedgerSilent:
            return max(due, self._clock.now()) + AGAIN
        return None

    async def _collect(self, game_id: UUID) -> None:
        """Have every stake paid that is open, seat by seat."""
        state = await self._pools.settle(game_id, self._clock.now())
        for account_id in _pending(state):
            state = await self._pools.settle(game_id, self._clock.now())
            if account_id not in _pending(state):
                continue
            assert isinstance(state, Dealt)
            told = await self._ledger.stake(game_id, account_id, state.terms.stake, state.dealt_at)
            fault("pool.staked")
            now = self._clock.now()
            reason = {
                Staked.TOO_FEW_CHIPS: StakeRefusal.TOO_FEW_CHIPS,
                Staked.CANCELLED: StakeRefusal.TOO_LATE,
            }.get(told)
            command = TakeStake(account_id, now) if reason is None else RefuseStake(account_id, reason, now)
            what = f"{ESCROW_TIMER}/{account_id}/{told.name}"
            await self._pools.play(game_id, command, timer_request(SYSTEM, game_id, what, state.dealt_at))
            fault("pool.stake_entered")

    async def _give_back(self, game_id: UUID, state: Dealt) -> None:
        """Take back what the ledger took for seats that do not play, or keep it from being taken."""
        for seat in state.seats:
            if seat.stake is Stake.REFUSED:
                await self._ledger.give_back(game_id, seat.account_id)

    async def _pay_out(self, game_id: UUID, state: Dealt) -> None:
        """Empty the escrow of a game that is over: return the stakes of a void one, else pay the pot."""
        ended = state.ended
        assert ended is not None
        is_void = ended.ending in {PoolEnding.VOID_STAKES, PoolEnding.VOID_MOVES}
        for seat, result in zip(state.seats, ended.seats, strict=True):
            if not result.payout:
                continue
            if is_void:
                await self._ledger.give_back(game_id, seat.account_id)
            else:
                await self._ledger.pay(
                    game_id, seat.account_id, result.payout, ended.occurred_at, self._clock.now()
                )
            fault("pool.paid")


def _pending(state: State) -> tuple[UUID, ...]:
    """The accounts whose stakes are open."""
    if not isinstance(state, Dealt):
        return ()
    return tuple(seat.account_id for seat in state.seats if seat.stake is Stake.PENDING)
