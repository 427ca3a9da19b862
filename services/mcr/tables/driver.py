"""The AI players at the tables: what a timer wakes a deal for, done in small pieces.

What an AI does has a request id derived from the deal and the decision, so two drivers never act twice; a
driver that dies leaves a timer that another one fires again.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid5

import structlog

from libs.eventstore.port import Request
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused
from services.mcr.domain.deal.commands import Act, ByAi
from services.mcr.domain.deal.refusal import Refusal
from services.mcr.domain.deal.state import Dealt
from services.mcr.domain.deal.view import view_for
from services.mcr.tables.begin import ALONE_TIMER, DEAL_TIMER
from services.mcr.tables.figures import DealFigures
from services.mcr.tables.pace import Pace
from services.mcr.tables.play import Deals
from services.mcr.tables.store import SYSTEM
from services.mcr.tables.thinking import Runs, Thought, level_of, play_on, seed_of, think
from services.mcr.tables.waking import ai_due, ai_to_act, wake_at

ACTIONS_A_FIRING: Final = 16
"""Of a deal of AI players alone; then others get their turn."""
MILLISECOND: Final = timedelta(milliseconds=1)
MOVED_ON: Final = frozenset(
    {
        *(Refusal.STALE_DECISION.value, Refusal.MATCH_ENDED.value, Refusal.NOT_YOURS.value),
        *(Refusal.ALREADY_ANSWERED.value, Refusal.NOT_YOUR_TURN.value, "STREAM_CONFLICT"),
    }
)
"""The deal is not as it was when the AI thought: others acted, or its person is back."""

log = structlog.get_logger(__name__)


class Driver:
    """Acts for AI players, and for persons who are away."""

    def __init__(self, deals: Deals, run: Runs, pace: Pace, clock: Clock, figures: DealFigures) -> None:
        """Think by `run`."""
        self._deals = deals
        self._run = run
        self._pace = pace
        self._clock = clock
        self._figures = figures

    async def fire(self, deal_id: UUID, kind: str, due: datetime) -> datetime | None:
        """Do what is due in a deal; return when to look again, None for never."""
        assert kind in {DEAL_TIMER, ALONE_TIMER}, f"deals have no timer {kind}"
        now = max(due, self._clock.now())
        deal = await self._deals.settle(deal_id, now)
        try:
            if kind == ALONE_TIMER:
                deal = await self._play_on(deal_id, deal, now - due)
            else:
                deal = await self._act(deal_id, deal)
        except Refused as error:
            if error.reason not in MOVED_ON:
                raise
            deal = await self._deals.settle(deal_id, self._clock.now())
        again = wake_at(deal, self._pace.ai_pause)
        if again is None:
            return None
        return max(again, due + MILLISECOND)

    async def _act(self, deal_id: UUID, deal: Dealt) -> Dealt:
        """What all AI players do who are to act by now; what comes of it is left to the next firing."""
        decision = deal.table.decision
        while deal.table.decision == decision and (seats := ai_to_act(deal)):
            due = ai_due(deal, self._pace.ai_pause)
            if due is None or due > self._clock.now():
                break
            seat = seats[0]
            thought = await self._run(
                think, level_of(deal, seat), seed_of(deal_id, seat), view_for(deal, seat)
            )
            self._note(deal_id, thought)
            act = Act(ByAi(seat), thought.action, decision, self._clock.now())
            played = await self._deals.play_for_ai(deal_id, act, _request(deal_id, decision, seat))
            deal = await self._deals.settle(played.deal_id, self._clock.now())
        return deal

    async def _play_on(self, deal_id: UUID, deal: Dealt, late: timedelta) -> Dealt:
        """A few actions of a deal of AI players alone, appended together."""
        seats = ai_to_act(deal)
        if not seats:
            return deal
        now = self._clock.now()
        stretch = await self._run(play_on, deal_id, deal, now, late, ACTIONS_A_FIRING)
        for thought in stretch.thoughts:
            self._note(deal_id, thought)
        request = _request(deal_id, deal.table.decision, seats[0])
        return (await self._deals.append(deal_id, deal, stretch.events, request, now)).state

    def _note(self, deal_id: UUID, thought: Thought) -> None:
        self._figures.thinking[thought.level].observe(thought.seconds)
        if thought.fault is not None:
            log.error("ai.failed", deal_id=str(deal_id), level=thought.level.value, fault=thought.fault)


def _request(deal_id: UUID, decision: int, seat: int) -> Request:
    """The key of what the AI does at a decision: the same whoever drives it."""
    what = f"ai/{decision}/{seat}"
    return Request(SYSTEM, str(uuid5(deal_id, what)), hashlib.sha256(what.encode()).digest())
