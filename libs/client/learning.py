"""The learning board: the server explains, this keeps the position."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from libs.client.board_view import BoardView
from libs.client.calls import LIST_DEADLINE_S, MOVE_DEADLINE_S, Calls
from libs.client.wire import board_of
from libs.pb.sparrow.match.v1 import learning_pb2
from libs.pb.sparrow.match.v1 import learning_service_pb2 as wire

if TYPE_CHECKING:
    from libs.pb.sparrow.match.v1.learning_service_pb2_grpc import LearningServiceAsyncStub


class Learning:
    """One learner at one board. Every call tells what came of it, in the player's language."""

    def __init__(self, calls: Calls, stub: LearningServiceAsyncStub) -> None:
        """Take the way of calling; nothing is begun."""
        self._calls = calls
        self._stub = stub
        self._position = ""
        self.instruction = ""
        """What is asked, for a person."""
        self.step = ""
        """The same for a program: "FREE", "BLOCKED", …, "DONE"."""
        self.lit: tuple[int, int] | None = None
        """The pair of the last hint."""
        self.board: BoardView

    @property
    def is_done(self) -> bool:
        """Whether the board is cleared."""
        return self.step == "DONE"

    async def begin(self) -> None:
        """Begin, or begin again."""
        answer = await self._calls.unary(
            self._stub.StartLearning, wire.StartLearningRequest(), LIST_DEADLINE_S
        )
        self.board = board_of(answer.learning.board)
        self._take(answer.learning)

    async def touch(self, tile: int) -> str:
        """Ask what a tile is."""
        return await self._play(self._stub.TouchLearningTile, wire.TouchLearningTileRequest, tile=tile)

    async def pair(self, first: int, second: int) -> str:
        """Take two tiles."""
        request = wire.RemoveLearningPairRequest
        return await self._play(self._stub.RemoveLearningPair, request, first=first, second=second)

    async def hint(self) -> str:
        """Ask for a pair."""
        return await self._play(self._stub.ShowLearningHint, wire.ShowLearningHintRequest)

    async def shuffle(self) -> str:
        """Ask for a shuffle."""
        return await self._play(self._stub.ShuffleLearningBoard, wire.ShuffleLearningBoardRequest)

    async def _play(self, method: Any, request: Callable[..., Any], **tiles: int) -> str:
        message = request(position=self._position, **tiles)
        update: learning_pb2.LearningUpdate = (
            await self._calls.unary(method, message, MOVE_DEADLINE_S)
        ).update
        self._take(update.learning)
        return update.text

    def _take(self, told: learning_pb2.LearningBoard) -> None:
        self._position = told.position
        self.instruction = told.instruction
        self.step = learning_pb2.LearningStep.Name(told.step).removeprefix("LEARNING_STEP_")
        self.lit = (told.lit.first, told.lit.second) if told.HasField("lit") else None
        seen = board_of(told.board)
        self.board = replace(seen, layout=self.board.layout, places=self.board.places)
