"""Races: groups by invitation, and one's own board in a race."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import grpc

from libs.client.calls import LIST_DEADLINE_S, MOVE_DEADLINE_S, bearer_metadata
from libs.client.errors import UnreachableError, error_of
from libs.client.link import Link
from libs.client.race_views import (
    CPU_TO_WIRE,
    DIFFICULTY_TO_WIRE,
    CpuLevel,
    Difficulty,
    RaceState,
    RaceTold,
    RaceView,
    race_of,
    told_of,
)
from libs.pb.sparrow.match.v1 import race_pb2
from libs.pb.sparrow.match.v1 import race_service_pb2 as wire

if TYPE_CHECKING:
    from libs.pb.sparrow.match.v1.race_service_pb2_grpc import RaceServiceAsyncStub


@dataclass(frozen=True, slots=True)
class RaceGroup:
    """People who race each other; `race` is the last one, none before the first."""

    name: str
    code: str
    link: str
    host: str
    members: tuple[str, ...]
    race: str | None
    playing: bool


@dataclass(frozen=True, slots=True)
class RaceRecord:
    """What a player has come to: the rating, none before a rated race, and best times by kind of board."""

    rating: int | None
    bests_ms: dict[tuple[str, bool], int]


class Races:
    """The groups and races of this player."""

    def __init__(self, link: Link, stub: RaceServiceAsyncStub) -> None:
        """Ask through the client's connection."""
        self._link = link
        self._stub = stub

    async def create_group(
        self, difficulty: Difficulty = Difficulty.EASY, cpu: Sequence[CpuLevel] = (), *, rated: bool = False
    ) -> RaceGroup:
        """Make a group of this player alone. Raises RefusedError IN_ANOTHER_GROUP while in one."""
        request = wire.CreateRaceGroupRequest(
            settings=race_pb2.RaceSettings(difficulty=DIFFICULTY_TO_WIRE[difficulty]),
            cpu_players=[CPU_TO_WIRE[level] for level in cpu],
            rated=rated,
            request_id=str(uuid4()),
        )
        answer = await self._link.calls.unary(self._stub.CreateRaceGroup, request, MOVE_DEADLINE_S)
        return _group_of(answer.group)

    async def join_group(self, code: str) -> RaceGroup:
        """Join by an invitation's code or link."""
        request = wire.JoinRaceGroupRequest(code=code, request_id=str(uuid4()))
        return _group_of(
            (await self._link.calls.unary(self._stub.JoinRaceGroup, request, MOVE_DEADLINE_S)).group
        )

    async def group(self, name: str = "raceGroups/current") -> RaceGroup:
        """Read a group of this player's."""
        request = wire.GetRaceGroupRequest(name=name)
        return _group_of(
            (await self._link.calls.unary(self._stub.GetRaceGroup, request, LIST_DEADLINE_S)).group
        )

    async def leave_group(self, name: str) -> None:
        """Leave a group for good."""
        request = wire.LeaveRaceGroupRequest(name=name, request_id=str(uuid4()))
        await self._link.calls.unary(self._stub.LeaveRaceGroup, request, MOVE_DEADLINE_S)

    async def ask_for_another(self, name: str) -> None:
        """Ask the host for another game."""
        request = wire.AskForAnotherRaceRequest(name=name, request_id=str(uuid4()))
        await self._link.calls.unary(self._stub.AskForAnotherRace, request, MOVE_DEADLINE_S)

    async def start(self, group: str) -> RaceGame:
        """Start a race of the group, as its host."""
        request = wire.StartRaceRequest(name=group, request_id=str(uuid4()))
        answer = await self._link.calls.unary(self._stub.StartRace, request, LIST_DEADLINE_S)
        return await self.game(answer.group.race)

    async def game(self, name: str) -> RaceGame:
        """Return a race of this player's, "matches/<uuid>", running or over."""
        answer = await self._link.calls.unary(
            self._stub.GetRace, wire.GetRaceRequest(name=name), LIST_DEADLINE_S
        )
        return RaceGame(self._link, self._stub, race_of(answer.race))

    async def record(self) -> RaceRecord:
        """Tell this player's rating and best times, by difficulty and flowers and seasons."""
        answer = await self._link.calls.unary(self._stub.GetRacer, wire.GetRacerRequest(), LIST_DEADLINE_S)
        named = {value: difficulty.value for difficulty, value in DIFFICULTY_TO_WIRE.items()}
        return RaceRecord(
            answer.rating if answer.HasField("rating") else None,
            {(named[best.difficulty], best.flowers_and_seasons): best.elapsed_ms for best in answer.bests},
        )


class RaceGame:
    """One seat in a race. `view` is how it stands by the last answer or message."""

    def __init__(self, link: Link, stub: RaceServiceAsyncStub, view: RaceView) -> None:
        """Sit down."""
        self._link = link
        self._stub = stub
        self.view = view

    async def remove(self, first: int, second: int) -> RaceTold:
        """Take two tiles; where they do not go, the answer tells why, and it costs nothing."""
        request = wire.RemovePairRequest(
            name=self.view.name,
            first=first,
            second=second,
            expected_board_version=self.view.board.version,
            request_id=str(uuid4()),
        )
        return self._after(
            (await self._link.calls.unary(self._stub.RemovePair, request, MOVE_DEADLINE_S)).update
        )

    async def touch(self, tile: int) -> RaceTold:
        """Ask whether a tile is free, or what blocks it."""
        request = wire.TouchTileRequest(
            name=self.view.name,
            tile=tile,
            expected_board_version=self.view.board.version,
            request_id=str(uuid4()),
        )
        return self._after(
            (await self._link.calls.unary(self._stub.TouchTile, request, MOVE_DEADLINE_S)).update
        )

    async def shuffle(self) -> RaceTold:
        """Shuffle a blocked board."""
        request = wire.ShuffleBoardRequest(
            name=self.view.name, expected_board_version=self.view.board.version, request_id=str(uuid4())
        )
        return self._after(
            (await self._link.calls.unary(self._stub.ShuffleBoard, request, LIST_DEADLINE_S)).update
        )

    async def hint(self) -> RaceTold:
        """Light an available pair."""
        request = wire.ShowHintRequest(
            name=self.view.name, expected_board_version=self.view.board.version, request_id=str(uuid4())
        )
        return self._after(
            (await self._link.calls.unary(self._stub.ShowHint, request, MOVE_DEADLINE_S)).update
        )

    async def give_up(self) -> None:
        """Play no further."""
        request = wire.GiveUpRaceRequest(name=self.view.name, request_id=str(uuid4()))
        self._after((await self._link.calls.unary(self._stub.GiveUpRace, request, MOVE_DEADLINE_S)).update)

    async def leave(self) -> None:
        """Go away for now; whoever moves or watches again has the seat back."""
        request = wire.LeaveRaceRequest(name=self.view.name, request_id=str(uuid4()))
        self._after((await self._link.calls.unary(self._stub.LeaveRace, request, MOVE_DEADLINE_S)).update)

    async def refresh(self) -> RaceView:
        """Read the race anew."""
        request = wire.GetRaceRequest(name=self.view.name)
        self.view = race_of((await self._link.calls.unary(self._stub.GetRace, request, LIST_DEADLINE_S)).race)
        return self.view

    async def watch(self) -> AsyncIterator[RaceView]:
        """Yield the race whenever it changes, until it is over; streams that break are resumed."""
        token = ""
        while self.view.state is not RaceState.OVER:
            bearer = await self._link.session.token()
            request = wire.WatchRaceRequest(name=self.view.name, resume_token=token)
            call: Any = self._stub.WatchRace(
                request, metadata=bearer_metadata(bearer, self._link.session.language)
            )
            try:
                async for message in call:
                    token = message.resume_token or token
                    if message.HasField("end") and message.end.reason != "DRAINING":
                        return
                    seen = message.snapshot if message.HasField("snapshot") else message.update.race
                    if message.HasField("snapshot") or message.HasField("update"):
                        self._take(seen)
                        yield self.view
            except grpc.aio.AioRpcError as failure:
                error = error_of(failure)
                if not isinstance(error, UnreachableError):
                    raise error from None
            finally:
                call.cancel()

    def _after(self, update: race_pb2.RaceUpdate) -> RaceTold:
        self._take(update.race)
        return told_of(update)

    def _take(self, message: race_pb2.Race) -> None:
        """Take what is newer than what is known."""
        view = race_of(message, self.view)
        if view.board.version >= self.view.board.version or view.state is RaceState.OVER:
            self.view = view


def _group_of(group: race_pb2.RaceGroup) -> RaceGroup:
    return RaceGroup(
        name=group.name,
        code=group.code,
        link=group.link,
        host=group.host,
        members=tuple(member.player for member in group.members),
        race=group.race or None,
        playing=group.playing,
    )
