"""A long replay is told in turns: tables go on meanwhile."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any, Final, cast
from uuid import UUID

from libs.pb.sparrow.mcr.v1 import table_history_service_pb2 as pb
from libs.runtime.call import METHOD
from libs.runtime.caller import CALLER, Player
from libs.runtime.names import table_name
from services.mcr.domain.session.state import Closed
from services.mcr.history.reading import ToldDeal
from services.mcr.history.servicer import HistoryServicer
from tests.support.mcr_deals import FOUR_PERSONS, PLAYERS, START
from tests.support.mcr_tables import TABLE, played_table

STEPS_A_TURN_MAX: Final = 10
"""Of a fifth of a millisecond each."""


class OneDeal:
    """A history that knows one deal, without a database; a clock that stands."""

    def __init__(self) -> None:
        played = played_table(FOUR_PERSONS, seed=3)
        assert isinstance(played.state, Closed)
        (events,) = played.deals.values()
        self._told = ToldDeal(played.state, 1, 0, tuple(events))

    async def deal(self, _table_id: UUID, _account_id: UUID, _number: int) -> ToldDeal:
        """The deal."""
        return self._told

    def now(self) -> datetime:
        """The time."""
        return START


async def test_the_event_loop_has_turns_while_a_replay_is_told() -> None:
    """One for each few steps, though nothing is waited for."""
    known: Any = OneDeal()
    servicer = HistoryServicer(known, known, cast("Any", None))
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    METHOD.set("/sparrow.mcr.v1.HistoryService/GetTableReplay")
    CALLER.set(Player(PLAYERS[0], PLAYERS[0]))
    try:
        request = pb.GetTableReplayRequest(name=table_name(TABLE), page_size=500)
        replay = (await servicer.GetTableReplay(request, cast("Any", None))).replay
    finally:
        counting.cancel()

    assert len(replay.steps) == replay.step_count > 100
    assert turns > replay.step_count / STEPS_A_TURN_MAX
