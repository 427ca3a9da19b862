"""The gRPC edge of the learning board."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import grpc

from libs.pb.sparrow.match.v1 import learning_pb2
from libs.pb.sparrow.match.v1 import learning_service_pb2 as pb
from libs.pb.sparrow.match.v1 import learning_service_pb2_grpc as pb_grpc
from libs.runtime.clock import Clock
from libs.runtime.errors import invalid_field
from libs.runtime.languages.negotiation import Language, language_of
from libs.runtime.tokens import OpaqueTokens
from services.match.domain.learning.play import (
    BEGINNING,
    Action,
    AskHint,
    AskShuffle,
    Position,
    Take,
    Touch,
    play,
)
from services.match.domain.learning.script import board
from services.match.learning.sayings import explanation, instruction, sayings
from services.match.wire.learning import from_payload, learning_message, to_payload, update_message

Context: TypeAlias = grpc.aio.ServicerContext[Any, Any]
GRPC_NAME: Final = "sparrow.match.v1.LearningService"
POSITION_KIND: Final = "resume.learning"
POSITION_VALID_S: Final = 24 * 60 * 60


class LearningServicer(pb_grpc.LearningServiceServicer):
    """Opens the position that the client kept, plays, seals the next one. It holds no store of any kind."""

    def __init__(self, clock: Clock, opaque: OpaqueTokens, default_language: Language) -> None:
        self._clock = clock
        self._opaque = opaque
        self._default_language = default_language
        sayings()  # read before the first learner waits for them

    async def StartLearning(
        self, request: pb.StartLearningRequest, context: Context
    ) -> pb.StartLearningResponse:
        """Begin, or begin again."""
        return pb.StartLearningResponse(learning=self._message(BEGINNING, context, with_layout=True))

    async def GetLearning(self, request: pb.GetLearningRequest, context: Context) -> pb.GetLearningResponse:
        """Read a position."""
        position = self._position(request.position)
        return pb.GetLearningResponse(learning=self._message(position, context, with_layout=True))

    async def TouchLearningTile(
        self, request: pb.TouchLearningTileRequest, context: Context
    ) -> pb.TouchLearningTileResponse:
        """Tell what a tile is."""
        action = Touch(_tile("tile", request.tile))
        return pb.TouchLearningTileResponse(update=self._play(request.position, action, context))

    async def RemoveLearningPair(
        self, request: pb.RemoveLearningPairRequest, context: Context
    ) -> pb.RemoveLearningPairResponse:
        """Take two tiles."""
        action = Take(_tile("first", request.first), _tile("second", request.second))
        return pb.RemoveLearningPairResponse(update=self._play(request.position, action, context))

    async def ShowLearningHint(
        self, request: pb.ShowLearningHintRequest, context: Context
    ) -> pb.ShowLearningHintResponse:
        """Light a pair."""
        return pb.ShowLearningHintResponse(update=self._play(request.position, AskHint(), context))

    async def ShuffleLearningBoard(
        self, request: pb.ShuffleLearningBoardRequest, context: Context
    ) -> pb.ShuffleLearningBoardResponse:
        """Shuffle a blocked board."""
        return pb.ShuffleLearningBoardResponse(update=self._play(request.position, AskShuffle(), context))

    def _play(self, position: str, action: Action, context: Context) -> learning_pb2.LearningUpdate:
        outcome = play(self._position(position), action)
        text = explanation(outcome, self._language(context))
        return update_message(outcome, text, self._message(outcome.position, context, with_layout=False))

    def _message(
        self, position: Position, context: Context, *, with_layout: bool
    ) -> learning_pb2.LearningBoard:
        language, now = self._language(context), self._clock.now()
        token = self._opaque.seal(POSITION_KIND, to_payload(position), now, POSITION_VALID_S)
        text = instruction(position, language)
        return learning_message(position, token, text, language, with_layout=with_layout)

    def _position(self, token: str) -> Position:
        return from_payload(self._opaque.open(POSITION_KIND, token, self._clock.now()))

    def _language(self, context: Context) -> Language:
        return language_of(context.invocation_metadata(), self._default_language)


def _tile(field: str, tile: int) -> int:
    if tile not in range(board().size):
        raise invalid_field(field, "the layout has no tile of this index")
    return tile
