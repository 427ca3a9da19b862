"""The games of a player, listed and told again step by step."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from libs.client.calls import LIST_DEADLINE_S
from libs.client.link import Link
from libs.client.replay_wire import MODE_TO_WIRE, played_of, replay_of
from libs.client.replays import PlayedGame, Replay
from libs.client.rounds import Mode
from libs.pb.sparrow.match.v1 import history_service_pb2 as calls

if TYPE_CHECKING:
    from libs.pb.sparrow.match.v1.history_service_pb2_grpc import HistoryServiceAsyncStub

PAGE_SIZE: Final = 500
GAMES_PAGE: Final = 100


class History:
    """The games of the player that is signed in."""

    def __init__(self, link: Link, stub: HistoryServiceAsyncStub) -> None:
        """Ask through `stub`."""
        self._link = link
        self._stub = stub

    async def games(self, mode: Mode | None = None) -> AsyncGenerator[PlayedGame, None]:
        """Yield this player's games, of one mode where it is named, the newest first.

        Races and games of the pool come soon after their end.
        """
        token = ""
        while True:
            request = calls.ListPlayedGamesRequest(page_size=GAMES_PAGE, page_token=token)
            if mode is not None:
                request.mode = MODE_TO_WIRE[mode]
            answer = await self._link.calls.unary(self._stub.ListPlayedGames, request, LIST_DEADLINE_S)
            for game in answer.games:
                yield played_of(game)
            if not (token := answer.next_page_token):
                return

    async def replay(self, name: str, round_number: int = 1) -> Replay:
        """Tell a round of a finished match of this player, "matches/<uuid>", to its end.

        Raises RefusedError MATCH_RUNNING before the end of the match.
        """
        told: Replay | None = None
        token = ""
        while True:
            request = calls.GetMatchReplayRequest(
                name=name, round_number=round_number, page_size=PAGE_SIZE, page_token=token
            )
            answer = await self._link.calls.unary(self._stub.GetMatchReplay, request, LIST_DEADLINE_S)
            page = replay_of(answer.replay)
            told = page if told is None else replace(told, steps=(*told.steps, *page.steps))
            if not (token := answer.next_page_token):
                return told
