"""The gRPC edge of histories."""

from __future__ import annotations

from typing import Any, Final

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
from services.match.history.reading import SINGLE_PLAYER, Histories
from services.match.wire.boards import timestamp
from services.match.wire.history import board_fields, step_message
from services.match.wire.rounds import MODES

Context = grpc.aio.ServicerContext[Any, Any]

GRPC_NAME: Final = "sparrow.match.v1.HistoryService"
PAGE_KIND: Final = "page.replay"
PAGE_SIZE: Final = 100
PAGE_SIZE_MAX: Final = 500


class HistoryServicer(pb_grpc.HistoryServiceServicer):
    """Translates, asks, translates back."""

    def __init__(self, histories: Histories, clock: Clock, opaque: OpaqueTokens) -> None:
        """Tell what `histories` reads."""
        self._histories = histories
        self._clock = clock
        self._opaque = opaque

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
        response = pb.GetMatchReplayResponse(replay=replay)
        if begin + size < len(story.steps):
            response.next_page_token = self._opaque.seal(
                PAGE_KIND, {"after": begin + size}, now, PAGE_VALID_S, bound_to=bound_to
            )
        return response
