"""One attempt at a level: touch tiles, and see the board change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import UTC, datetime
from uuid import uuid4

from libs.client.board_view import BoardView
from libs.client.calls import LIST_DEADLINE_S, MOVE_DEADLINE_S
from libs.client.link import Link
from libs.client.results import GameState, LevelResult, Update
from libs.client.rounds import RoundOf, Seats, mode_of, seats_of
from libs.client.watching import Snapshot, Watching
from libs.client.wire import board_of, result_of, state_of, update_of
from libs.pb.sparrow.match.v1 import match_pb2 as match
from libs.pb.sparrow.match.v1 import match_service_pb2 as wire

JOKER_DEADLINE_S = 6.0
"""A joker is decided within 5 s."""
LIVE = frozenset({GameState.COUNTDOWN, GameState.RUNNING, GameState.BREAK})


class Game:
    """A running or finished attempt of the signed-in player, with the board in step.

    Commands of one game go out one after the other, each with the version of the board it was decided on.

    >>> game = await client.start_level(3)
    >>> first, second = pair_of(game.board)
    >>> lifted = await game.touch(first)
    >>> lifted.outcome
    <Outcome.LIFTED: 'lifted'>
    >>> paired = await game.touch(second)
    >>> paired.pair == (first, second), game.board.tiles_left == paired.tiles_left
    (True, True)
    """

    def __init__(self, link: Link, message: match.Match) -> None:
        """Begin with what the server told; games are made by the client."""
        self._link = link
        self._lock = asyncio.Lock()
        self.name = message.name
        self.level = message.level
        self.hard = message.hard
        self.board: BoardView = board_of(message.board)
        """What the seat sees now; each change puts another value here."""
        self.state: GameState = state_of(message.state)
        self.result: LevelResult | None = result_of(message.result) if message.HasField("result") else None
        self.next_match: str | None = message.next_match or None
        self.mode = mode_of(message)
        """What is played."""
        seats = seats_of(message)
        self.opponents = seats.opponents
        """Several seats: how far the others have come."""
        self.round_score = seats.round_score
        """Several seats: this seat's own round score, from the signal on."""
        self.own = seats.own
        """Several seats: the rest of this seat's own part, from the signal on."""
        self.round_result = seats.round_result
        """Several seats: how it ended, once over; of several rounds, how the last one that is over did."""
        self.commitment = seats.commitment
        """Several seats: SHA-256 over the deal; the reveal at the end is checked against it."""
        self.round: RoundOf | None = seats.round
        """Several rounds: which one is played, or dealt for after the break."""
        self.standings = seats.standings
        """Several rounds: by seat, once one is over."""
        self.start_time = seats.start_time
        """When the clock began, or will after a countdown or a break, by the server's clock."""
        self.rematch_until: datetime | None = seats.rematch_until
        """Until when a rematch may be asked for, by the server's clock; none while the match goes on."""
        self.tournament = seats.tournament
        """Which tournament's table it is; none outside of tournaments."""
        self.end_time: datetime | None = _end_of(message)
        """When it ended, by the server's clock."""

    async def touch(self, tile: int) -> Update:
        """Touch a tile: lift it, pair it with the lifted one, or learn why neither can be.

        Raises ConflictError where another device of the player moved meanwhile (then `refresh`), RefusedError
        where the tile is gone or the match has ended.
        """
        async with self._lock:
            request = wire.TouchRequest(
                name=self.name,
                tile=tile,
                expected_board_version=self.board.version,
                request_id=str(uuid4()),
            )
            return self._apply(await self._link.calls.unary(self._link.match.Touch, request, MOVE_DEADLINE_S))

    async def put_back(self) -> Update:
        """Put the lifted tile back. Raises RefusedError NOTHING_LIFTED where none is."""
        async with self._lock:
            request = wire.PutBackRequest(
                name=self.name, expected_board_version=self.board.version, request_id=str(uuid4())
            )
            return self._apply(
                await self._link.calls.unary(self._link.match.PutBack, request, MOVE_DEADLINE_S)
            )

    async def use_joker(self) -> Update:
        """Remove the lifted tile and its partner, wherever that lies, for one joker of the account."""
        async with self._lock:
            request = wire.UseJokerRequest(
                name=self.name, expected_board_version=self.board.version, request_id=str(uuid4())
            )
            return self._apply(
                await self._link.calls.unary(self._link.match.UseJoker, request, JOKER_DEADLINE_S)
            )

    async def restart(self) -> Game:
        """Give this attempt up and return another on the same deal; faces seen before are hidden again."""
        async with self._lock:
            request = wire.RestartLevelRequest(name=self.name, request_id=str(uuid4()))
            answer = await self._link.calls.unary(self._link.match.RestartLevel, request, MOVE_DEADLINE_S)
            self.state, self.next_match = GameState.RESTARTED, answer.match.name
        return Game(self._link, answer.match)

    async def leave(self) -> Update:
        """End the attempt."""
        async with self._lock:
            request = wire.LeaveMatchRequest(name=self.name, request_id=str(uuid4()))
            return self._apply(
                await self._link.calls.unary(self._link.match.LeaveMatch, request, MOVE_DEADLINE_S)
            )

    async def refresh(self) -> BoardView:
        """Ask how the game stands and return its board."""
        async with self._lock:
            request = wire.GetMatchRequest(name=self.name)
            told = (await self._link.calls.unary(self._link.match.GetMatch, request, LIST_DEADLINE_S)).match
            self.board, self.state = board_of(told.board), state_of(told.state)
            self.result = result_of(told.result) if told.HasField("result") else None
            self.next_match, self.end_time = told.next_match or None, _end_of(told)
            self._sit(seats_of(told))
        return self.board

    async def watch(self) -> AsyncIterator[Snapshot | Update]:
        """Follow the game, whoever moves: a snapshot, then every update once, until it has ended.

        Streams that break are opened again where they broke. The board of this game is kept in step.
        """
        watching = Watching(self._link, self.name)
        async with aclosing(watching.messages()) as messages:
            async for message in messages:
                if isinstance(message, Update):
                    self._take(message)
                elif message.board.version >= self.board.version:
                    self.board, self.state = message.board, message.state
                    self._sit(message.seats)
                yield message

    def _apply(
        self,
        answer: wire.TouchResponse | wire.PutBackResponse | wire.UseJokerResponse | wire.LeaveMatchResponse,
    ) -> Update:
        update = update_of(answer.update)
        self._take(update)
        return update

    def _sit(self, seats: Seats) -> None:
        """Take all that is told beside a board."""
        self.opponents, self.round_score, self.own = seats.opponents, seats.round_score, seats.own
        self.round_result = seats.round_result
        if seats.round_result is None and seats.round is not None and seats.round.earlier:
            self.round_result = seats.round.earlier[-1]
        self.commitment, self.start_time = seats.commitment, seats.start_time
        self.round, self.standings = seats.round, seats.standings
        self.rematch_until = seats.rematch_until

    def _take(self, update: Update) -> None:
        """Bring the board and the standing up to an update, unless they are there already."""
        if self.round is not None and (update.round_number or 0) < self.round.number:
            return  # the answer to a command of an earlier round, overtaken by the next deal
        self.board = self.board.after(update)
        self.opponents = update.opponents or self.opponents
        self.round_score = update.round_score if update.round_score is not None else self.round_score
        self.own = update.own or self.own
        self.round_result = update.round_result or self.round_result
        self.standings = update.standings or self.standings
        self.rematch_until = update.rematch_until or self.rematch_until
        if self.state in LIVE:
            self.state = update.state
            self.result = update.result or self.result
            self.next_match = update.next_match or self.next_match
            self.end_time = update.time if update.state not in LIVE else None


def _end_of(message: match.Match) -> datetime | None:
    return message.end_time.ToDatetime(UTC) if message.HasField("end_time") else None
