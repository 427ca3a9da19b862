"""The match service of the tiny Sparrow: real deals and real touches, kept in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import grpc

from libs.pb.sparrow.match.v1 import match_pb2, match_service_pb2
from libs.pb.sparrow.solitaire.v1 import solitaire_pb2
from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import free_tiles, uncovered
from libs.rules.solitaire.levels import MATCHING, PAIRING, LevelDeal, level_deal
from libs.rules.solitaire.moves import has_available_pair
from libs.rules.solitaire.touch import Lifted, NotSame, Paired, PutBack, touch
from tests.support.tiny_queue import TinyQueue

if TYPE_CHECKING:
    from tests.support.tiny_sparrow import TinySparrow

Context = grpc.aio.ServicerContext[Any, Any]
_OUTCOMES = {
    Lifted: match_pb2.TOUCH_OUTCOME_LIFTED,
    Paired: match_pb2.TOUCH_OUTCOME_PAIRED,
    NotSame: match_pb2.TOUCH_OUTCOME_NOT_SAME,
    PutBack: match_pb2.TOUCH_OUTCOME_PUT_BACK,
}


@dataclass
class TinyGame:
    """One attempt."""

    name: str
    player: str
    deal: LevelDeal
    present: int
    known: set[int]
    lifted: int | None = None
    version: int = 0
    state: match_pb2.MatchState.ValueType = match_pb2.MATCH_STATE_RUNNING
    updates: list[match_pb2.MatchUpdate] = field(default_factory=list)
    moved: asyncio.Condition = field(default_factory=asyncio.Condition)

    @classmethod
    def start(cls, player: str, level: int) -> TinyGame:
        """Deal a level."""
        deal = level_deal(level)
        full = deal.layout.full
        return cls(f"matches/{uuid4()}", player, deal, full, set(uncovered(deal.layout, full)))

    def message(self) -> match_pb2.Match:
        """Tell it as the seat may see it."""
        told = match_pb2.Match(name=self.name, state=self.state, player=self.player, level=self.deal.level)
        told.board.layout.tiles.extend(
            solitaire_pb2.TilePosition(x=tile.x, y=tile.y, z=tile.z) for tile in self.deal.layout.tiles
        )
        told.board.present.extend(bits(self.present))
        told.board.faces.extend(self._faces(self.known))
        told.board.free_tiles.extend(free_tiles(self.deal.layout, self.present))
        told.board.pair_available = self._pair_available()
        told.board.board_version = self.version
        if self.lifted is not None:
            told.board.lifted = self.lifted
        return told

    async def touched(self, tile: int) -> match_pb2.MatchUpdate:
        """Touch a tile, record and announce the update."""
        outcome = touch(self.deal.layout, self.deal.faces, self.present, self.lifted, tile)
        update = match_pb2.MatchUpdate(
            outcome=_OUTCOMES.get(type(outcome), match_pb2.TOUCH_OUTCOME_BLOCKED), tile=tile
        )
        if isinstance(outcome, Lifted):
            self.lifted = tile
        elif isinstance(outcome, PutBack):
            self.lifted = None
        elif isinstance(outcome, Paired):
            self.present &= ~(1 << outcome.first | 1 << outcome.second)
            self.lifted = None
            update.pair.first, update.pair.second = outcome.first, outcome.second
        if not self.present:
            self.state = match_pb2.MATCH_STATE_CLEARED
            update.result.elapsed_ms, update.result.place = 1_234, 1
            update.result.first_completion_points, update.result.time_bonus_points = 10, 10
        await self.announce(update)
        return update

    async def announce(self, update: match_pb2.MatchUpdate) -> None:
        """Count the command and tell it to those who watch."""
        self.version += 1
        away = self.present & ~(1 << self.lifted) if self.lifted is not None else self.present
        fresh = set(uncovered(self.deal.layout, away)) - self.known
        self.known |= fresh
        update.uncovered.extend(self._faces(fresh))
        update.free_tiles.extend(free_tiles(self.deal.layout, self.present))
        update.pair_available, update.board_version = self._pair_available(), self.version
        update.tiles_left, update.state = self.present.bit_count(), self.state
        if self.lifted is not None:
            update.lifted = self.lifted
        async with self.moved:
            self.updates.append(update)
            self.moved.notify_all()

    def _faces(self, tiles: set[int]) -> list[match_pb2.VisibleFace]:
        return [
            match_pb2.VisibleFace(tile=tile, face=self.deal.faces[tile])
            for tile in sorted(tiles)
            if self.present >> tile & 1
        ]

    def _pair_available(self) -> bool:
        return has_available_pair(self.deal.layout, self.deal.faces, self.present, MATCHING, PAIRING)


class TinyMatchService(TinyQueue):
    """Serves `TinyGame`s."""

    def __init__(self, tiny: TinySparrow) -> None:
        super().__init__(tiny, self._new_game)
        self._tiny = tiny
        self._games: dict[str, TinyGame] = {}

    def _new_game(self, player: str) -> str:
        game = TinyGame.start(player, 1)
        self._games[game.name] = game
        return game.name

    async def StartLevel(self, request: Any, context: Context) -> Any:  # noqa: N802 the contract names it
        """Deal and start."""
        player = await self._tiny.player(context)

        async def act() -> match_service_pb2.StartLevelResponse:
            game = TinyGame.start(player, request.level)
            self._games[game.name] = game
            return match_service_pb2.StartLevelResponse(match=game.message())

        return await self._tiny.once(request, context, player, act)

    async def Touch(self, request: Any, context: Context) -> Any:  # noqa: N802
        """Touch under the compare-and-set."""
        player = await self._tiny.player(context)

        async def act() -> match_service_pb2.TouchResponse:
            game = self._games[request.name]
            if request.expected_board_version != game.version:
                await self._tiny.refuse(context, "STALE_BOARD_VERSION")
            return match_service_pb2.TouchResponse(update=await game.touched(request.tile))

        return await self._tiny.once(request, context, player, act)

    async def LeaveMatch(self, request: Any, context: Context) -> Any:  # noqa: N802
        """End the attempt."""
        player = await self._tiny.player(context)

        async def act() -> match_service_pb2.LeaveMatchResponse:
            game = self._games[request.name]
            game.state = match_pb2.MATCH_STATE_LEFT
            update = match_pb2.MatchUpdate()
            await game.announce(update)
            return match_service_pb2.LeaveMatchResponse(update=update)

        return await self._tiny.once(request, context, player, act)

    async def GetMatch(self, request: Any, context: Context) -> Any:  # noqa: N802
        """Tell the board."""
        await self._tiny.player(context)
        return match_service_pb2.GetMatchResponse(match=self._games[request.name].message())

    async def Watch(self, request: Any, context: Context) -> AsyncIterator[Any]:  # noqa: N802
        """Follow a game; breaks where the faults say so."""
        await self._tiny.player(context)
        if self._tiny.faults.refuse:
            await self._tiny.refuse(context, self._tiny.faults.refuse.pop(0))
        limit = self._tiny.faults.break_streams_after.pop(0) if self._tiny.faults.break_streams_after else -1
        sent = 0
        responses = self._responses(self._games[request.name], request.resume_token)
        while sent != limit:
            response = await anext(responses, None)
            if response is None:
                return
            yield response
            sent += 1
        await context.abort(grpc.StatusCode.UNAVAILABLE, "connection lost")

    async def _responses(self, game: TinyGame, token: str) -> AsyncIterator[match_service_pb2.WatchResponse]:
        """Tell the snapshot, or what came since the token; then one update after another, each twice."""
        told = int(token) if token else game.version
        if not token:
            yield match_service_pb2.WatchResponse(resume_token=str(told), snapshot=game.message())
        while True:
            async with game.moved:
                while len(game.updates) == told and game.state == match_pb2.MATCH_STATE_RUNNING:
                    await game.moved.wait()
            for update in game.updates[told:]:
                told = update.board_version
                for _ in range(2):  # a stream that stutters: the client must not
                    yield match_service_pb2.WatchResponse(resume_token=str(told), update=update)
            if game.state != match_pb2.MATCH_STATE_RUNNING:
                end = match_service_pb2.WatchResponse.End(reason="MATCH_ENDED")
                yield match_service_pb2.WatchResponse(end=end)
                return
