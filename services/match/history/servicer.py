"""The gRPC edge of histories."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import grpc

from libs.pb.sparrow.match.v1 import history_pb2, match_pb2
from libs.pb.sparrow.match.v1 import history_service_pb2 as pb
from libs.pb.sparrow.match.v1 import history_service_pb2_grpc as pb_grpc
from libs.runtime.clock import Clock
from libs.runtime.errors import invalid_field
from libs.runtime.names import match_name, parse_match
from libs.runtime.paging import PAGE_VALID_S, listing, page_size
from libs.runtime.request import current_player
from libs.runtime.tokens import OpaqueTokens
from services.match.domain.history.races import RaceStory
from services.match.domain.listing import ListedAttempt
from services.match.history.reading import SINGLE_PLAYER, Histories, Row, Told, ToldElsewhere
from services.match.wire.boards import timestamp
from services.match.wire.history import board_fields, step_message
from services.match.wire.history_listing import POOL, RACE, played_game
from services.match.wire.history_pools import pool_replay
from services.match.wire.history_races import race_replay
from services.match.wire.listed import listed_round
from services.match.wire.matches import listed_match
from services.match.wire.rounds import MODES

Context = grpc.aio.ServicerContext[Any, Any]

GRPC_NAME: Final = "sparrow.match.v1.HistoryService"
PAGE_KIND: Final = "page.replay"
PAGE_SIZE: Final = 100
PAGE_SIZE_MAX: Final = 500
GAMES_KIND: Final = "page.games"
GAMES_SIZE: Final = 20
GAMES_SIZE_MAX: Final = 100
_NAMES: Final[Mapping[int, str]] = {
    match_pb2.MODE_SINGLE_PLAYER: SINGLE_PLAYER,
    match_pb2.MODE_RACE: RACE,
    match_pb2.MODE_POOL: POOL,
    **{wire: name for name, wire in MODES.items()},
}


class HistoryServicer(pb_grpc.HistoryServiceServicer):
    """Translates, asks, translates back."""

    def __init__(self, histories: Histories, clock: Clock, opaque: OpaqueTokens) -> None:
        """Tell what `histories` reads."""
        self._histories = histories
        self._clock = clock
        self._opaque = opaque

    async def ListPlayedGames(
        self, request: pb.ListPlayedGamesRequest, context: Context
    ) -> pb.ListPlayedGamesResponse:
        """Page through the caller's games in the order of their ids, which is that of birth."""
        if request.mode and request.mode not in _NAMES:
            raise invalid_field("mode", "a mode")
        size = page_size(request.page_size, GAMES_SIZE, GAMES_SIZE_MAX)
        now, bound_to = self._clock.now(), listing(request)
        before = None
        if request.page_token:
            page = self._opaque.open(GAMES_KIND, request.page_token, now, bound_to=bound_to)
            before = UUID(page["before"])
        account_id = current_player().account_id
        found = await self._histories.listed(account_id, _NAMES.get(request.mode), before, size + 1)
        response = pb.ListPlayedGamesResponse(
            games=[_game(row, account_id, now) for _id, row in found[:size]]
        )
        if len(found) > size:
            response.next_page_token = self._opaque.seal(
                GAMES_KIND, {"before": str(found[size - 1][0])}, now, PAGE_VALID_S, bound_to=bound_to
            )
        return response

    async def GetMatchReplay(
        self, request: pb.GetMatchReplayRequest, context: Context
    ) -> pb.GetMatchReplayResponse:
        """Tell a finished match step by step."""
        match_id = parse_match("name", request.name)
        if request.round_number < 0:
            raise invalid_field("round_number", "not negative")
        size = page_size(request.page_size, PAGE_SIZE, PAGE_SIZE_MAX)
        now, bound_to = self._clock.now(), listing(request)
        begin = 0
        if request.page_token:
            begin = int(self._opaque.open(PAGE_KIND, request.page_token, now, bound_to=bound_to)["after"])
        told = await self._histories.read(match_id, current_player().account_id, request.round_number)
        replay = await self._page(match_id, told, begin, size)
        response = pb.GetMatchReplayResponse(replay=replay)
        if begin + size < len(told.story.steps):
            response.next_page_token = self._opaque.seal(
                PAGE_KIND, {"after": begin + size}, now, PAGE_VALID_S, bound_to=bound_to
            )
        return response

    async def _page(
        self, match_id: UUID, told: Told | ToldElsewhere, begin: int, size: int
    ) -> history_pb2.MatchReplay:
        if isinstance(told, ToldElsewhere):
            if isinstance(told.story, RaceStory):
                return race_replay(match_id, told.story, begin, size)
            return pool_replay(match_id, told.story, begin, size)
        story = told.story
        replay = history_pb2.MatchReplay(
            name=match_name(match_id),
            mode=match_pb2.MODE_SINGLE_PLAYER if told.mode == SINGLE_PLAYER else MODES[told.mode],
            round_number=told.number,
            round_count=told.rounds,
            start_time=timestamp(story.since),
            steps=[step_message(story, step) for step in story.steps[begin : begin + size]],
        )
        if not begin:
            board_fields(replay, story, await self._histories.spoiled(told))
        return replay


def _game(row: Row, account_id: UUID, at: datetime) -> history_pb2.PlayedGame:
    """A game in a list, for the seat of an account."""
    if isinstance(row, bytes):
        return played_game(row)
    match = listed_match(row, at) if isinstance(row, ListedAttempt) else listed_round(row, account_id, at)
    game = history_pb2.PlayedGame(name=match.name, mode=match.mode, match=match)
    game.start_time.CopyFrom(match.start_time)
    if match.HasField("end_time"):
        game.end_time.CopyFrom(match.end_time)
    return game
