"""The gRPC edge of the fan table and the scorer."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import grpc

from libs.pb.sparrow.mcr.v1 import mcr_pb2
from libs.pb.sparrow.mcr.v1 import mcr_service_pb2 as pb
from libs.pb.sparrow.mcr.v1 import mcr_service_pb2_grpc as pb_grpc
from libs.rules.mcr.hand import NotAHandError
from libs.rules.mcr.profile import Profile
from libs.runtime.clock import Clock
from libs.runtime.errors import invalid_field
from libs.runtime.paging import PAGE_VALID_S, listing, page_size
from libs.runtime.threaded import ThreadedWork
from libs.runtime.tokens import OpaqueTokens
from services.mcr.domain.assessing import assess
from services.mcr.wire.fans import ALL_FANS, fan_message
from services.mcr.wire.faults import refused
from services.mcr.wire.scoring import PROFILES, assessment_message, hand_from

Context: TypeAlias = grpc.aio.ServicerContext[Any, Any]
GRPC_NAME: Final = "sparrow.mcr.v1.McrService"
PAGE_KIND: Final = "page.fans"
HANDS_MAX: Final = 200
"""Of one call: about 30 ms of one processor, and 13 kB; without the kernel a quarter of a second."""


class McrServicer(pb_grpc.McrServiceServicer):
    """Publishes the table of fans, and scores hands in a thread: the event loop is left to the tables."""

    def __init__(self, clock: Clock, opaque: OpaqueTokens, scorers: ThreadedWork) -> None:
        self._clock = clock
        self._opaque = opaque
        self._scorers = scorers

    async def ListFans(self, request: pb.ListFansRequest, context: Context) -> pb.ListFansResponse:
        """Return a page of the fans, in the order of the rule book."""
        size = page_size(request.page_size, 100, 100)
        now, bound_to = self._clock.now(), listing(request)
        after = 0
        if request.page_token:
            after = self._opaque.open(PAGE_KIND, request.page_token, now, bound_to=bound_to)["after"]
        fans = [fan for fan in ALL_FANS if fan.number > after][:size]
        response = pb.ListFansResponse(fans=map(fan_message, fans))
        if fans and fans[-1] is not ALL_FANS[-1]:
            response.next_page_token = self._opaque.seal(
                PAGE_KIND, {"after": fans[-1].number}, now, PAGE_VALID_S, bound_to=bound_to
            )
        return response

    async def Score(self, request: pb.ScoreRequest, context: Context) -> pb.ScoreResponse:
        """Say what a hand is worth."""
        profile = PROFILES[request.profile]
        assessment = await self._scorers.run(_assessed, request.hand, "hand", profile)
        return pb.ScoreResponse(assessment=assessment)

    async def ScoreHands(self, request: pb.ScoreHandsRequest, context: Context) -> pb.ScoreHandsResponse:
        """Say what several hands are worth; hands of other calls come between them."""
        if len(request.hands) > HANDS_MAX:
            raise invalid_field("hands", f"at most {HANDS_MAX} hands", "MAX", max=HANDS_MAX)
        profile = PROFILES[request.profile]
        response = pb.ScoreHandsResponse()
        for place, hand in enumerate(request.hands):
            response.assessments.append(await self._scorers.run(_assessed, hand, f"hands[{place}]", profile))
        return response


def _assessed(message: mcr_pb2.HandToScore, field: str, profile: Profile) -> mcr_pb2.HandAssessment:
    hand, last = hand_from(message, field)
    try:
        return assessment_message(assess(hand, last, profile))
    except NotAHandError as error:
        raise refused(error, hand, last, field) from error
