"""The way in: connect, play, look at the boards."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from datetime import date, datetime
from types import TracebackType
from typing import Self
from uuid import uuid4

import grpc
from google.protobuf.field_mask_pb2 import FieldMask

from libs.client.boards import ME, PAGE_SIZE, Boards
from libs.client.calls import LIST_DEADLINE_S, MOVE_DEADLINE_S, Calls, Retries
from libs.client.channel import open_channel
from libs.client.clubs import Clubs
from libs.client.devices import DeviceStore, MemoryDeviceStore, stored_key
from libs.client.errors import RefusedError, SparrowError
from libs.client.game import Game
from libs.client.hands import Hands
from libs.client.history import History
from libs.client.learning import Learning
from libs.client.link import Link
from libs.client.mcr_lobby import Lobby
from libs.client.pools import Pools
from libs.client.private_games import PrivateGames
from libs.client.races import Races
from libs.client.rematches import Rematches
from libs.client.reporting import Reporting
from libs.client.results import (
    BoardEntry,
    BoardKind,
    BoardPage,
    GameSummary,
    Level,
    LevelBests,
    Profile,
    Standing,
)
from libs.client.session import Now, Session, utc_now
from libs.client.spectating import Spectating
from libs.client.table_history import TableHistory
from libs.client.tables import Tables
from libs.client.tickets import QueueKind, Waiting, open_ticket
from libs.client.tournaments import Tournaments
from libs.client.wallet import Wallet
from libs.client.watched_tables import WatchedTables
from libs.client.wire import best_of, level_of, profile_of, summary_of
from libs.pb.sparrow.account.v1 import account_pb2 as account
from libs.pb.sparrow.account.v1 import account_service_pb2 as account_wire
from libs.pb.sparrow.account.v1.account_service_pb2_grpc import AccountServiceStub
from libs.pb.sparrow.account.v1.club_service_pb2_grpc import ClubServiceStub
from libs.pb.sparrow.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub
from libs.pb.sparrow.match.v1 import match_service_pb2 as match_wire
from libs.pb.sparrow.match.v1.fair_play_service_pb2_grpc import FairPlayServiceStub
from libs.pb.sparrow.match.v1.history_service_pb2_grpc import HistoryServiceStub
from libs.pb.sparrow.match.v1.learning_service_pb2_grpc import LearningServiceStub
from libs.pb.sparrow.match.v1.match_service_pb2_grpc import MatchServiceStub
from libs.pb.sparrow.match.v1.pool_service_pb2_grpc import PoolServiceStub
from libs.pb.sparrow.match.v1.private_game_service_pb2_grpc import PrivateGameServiceStub
from libs.pb.sparrow.match.v1.race_service_pb2_grpc import RaceServiceStub
from libs.pb.sparrow.match.v1.rematch_service_pb2_grpc import RematchServiceStub
from libs.pb.sparrow.match.v1.spectate_service_pb2_grpc import SpectateServiceStub
from libs.pb.sparrow.mcr.v1.lobby_service_pb2_grpc import LobbyServiceStub
from libs.pb.sparrow.mcr.v1.mcr_service_pb2_grpc import McrServiceStub
from libs.pb.sparrow.mcr.v1.table_history_service_pb2_grpc import HistoryServiceStub as TableHistoryStub
from libs.pb.sparrow.mcr.v1.table_service_pb2_grpc import TableServiceStub
from libs.pb.sparrow.mcr.v1.table_spectate_service_pb2_grpc import SpectateServiceStub as TableSpectateStub
from libs.pb.sparrow.tournament.v1.tournament_service_pb2_grpc import TournamentServiceStub


class SparrowClient:
    """A player's signed-in connection to Sparrow.

    Every write gets its `request_id` before it is sent and keeps it over all retries, so it happens once;
    calls are tried again while nothing answers or a reply is lost; tokens are refreshed by themselves.

    >>> client = await SparrowClient.connect(target)
    >>> game = await client.start_level(1)
    >>> game.board.tiles_left > 0
    True
    >>> [standing.window.board.value for standing in await client.standings()][:4]
    ['amr', 'weekly', 'daily', 'mcr_year']
    >>> ranks = [entry.rank async for entry in client.board("daily")]
    >>> await client.close()
    """

    def __init__(self, channel: grpc.aio.Channel, link: Link, profile: Profile, *, created: bool) -> None:
        """Hold what `connect` made."""
        self._channel = channel
        self._link = link
        self.profile = profile
        """Who is signed in."""
        self.created = created
        """Whether connecting created the profile."""
        self.wallet = Wallet(link)
        """Jokers, chips, and the daily bonus."""
        self.clubs = Clubs(link)
        """Clubs, and the way in."""
        self.history = History(link, HistoryServiceStub(channel))
        """Finished games, told again pair by pair."""
        self.learning = Learning(link.calls, link.learning)
        """The learning board."""
        self.boards = Boards(link)
        """Boards, past ones too, and what standings are made of."""
        self.reporting = Reporting(link, FairPlayServiceStub(channel))
        """Reporting another player to the operators."""
        self.pools = Pools(link, PoolServiceStub(channel))
        """Training in the pool, and its matches for a pot."""
        self.private_games = PrivateGames(link, PrivateGameServiceStub(channel))
        """Quick matches, arenas and pool matches by invitation."""
        self.rematches = Rematches(link, RematchServiceStub(channel))
        """Playing the same players again."""
        self.races = Races(link, RaceServiceStub(channel))
        """Groups that race, and races."""
        self.spectating = Spectating(link, SpectateServiceStub(channel))
        """Matches of others, to be watched."""
        self.tables = Tables(link, TableServiceStub(channel))
        """MCR tables."""
        self.watched_tables = WatchedTables(link, TableSpectateStub(channel))
        """MCR tables of others."""
        self.lobby = Lobby(link, LobbyServiceStub(channel))
        """How MCR tables form."""
        self.table_history = TableHistory(link, TableHistoryStub(channel))
        """MCR tables that have closed."""
        self.tournaments = Tournaments(link, TournamentServiceStub(channel))
        """Tournaments."""
        self.hands = Hands(link.calls, McrServiceStub(channel))
        """What MCR hands are worth."""

    @classmethod
    async def connect(
        cls,
        target: str,
        *,
        device_key: bytes | None = None,
        store: DeviceStore | None = None,
        retries: Retries | None = None,
        tls: grpc.ChannelCredentials | None = None,
        now: Now = utc_now,
        language: str = "",
    ) -> Self:
        """Connect to `host:port` and sign in as the player of a device.

        The device key (16 to 64 random bytes) is given, or kept in a store that makes one at first; with
        neither, it is a new player that nobody can be again. `language` is what the player reads, written as
        in `accept-language` ("fa", "pl, en;q=0.5"): refusals carry a text in it. Raises UnreachableError
        where nothing answers.
        """
        assert device_key is None or store is None, "the key is given, or the store has it"
        key = stored_key(store if store is not None else MemoryDeviceStore(device_key))
        channel = open_channel(target, tls)
        try:
            link = _link(channel, key, retries if retries is not None else Retries(), now, language)
            profile, created = await link.session.sign_in()
        except BaseException:
            await channel.close()
            raise
        return cls(channel, link, profile, created=created)

    async def close(self) -> None:
        """Close the connection. The session stays valid until it expires."""
        await self._channel.close()

    async def __aenter__(self) -> Self:
        """Use the client in `async with`."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        await self.close()

    # -- playing

    async def start_level(self, level: int) -> Game:
        """Start an attempt at a level, 1 to 11,000; the clock runs from here."""
        request = match_wire.StartLevelRequest(level=level, request_id=str(uuid4()))
        answer = await self._link.calls.unary(self._link.match.StartLevel, request, MOVE_DEADLINE_S)
        return Game(self._link, answer.match)

    async def queue(self, kind: QueueKind = QueueKind.QUICK) -> Waiting:
        """Wait for a match, or go on waiting with the ticket that a client of this player left behind.

        Raises RefusedError ALREADY_SEATED, with the match's name in its metadata, while one is played, and
        ALREADY_QUEUED while a ticket of another queue waits.
        """
        return await open_ticket(self._link, kind)

    async def find_match(self, kind: QueueKind = QueueKind.QUICK) -> Game:
        """Wait for a match and return it, or the one this player sits in already.

        Cancelled, it stops waiting. Raises RefusedError TICKET_EXPIRED when nobody came in time.
        """
        try:
            waiting = await self.queue(kind)
        except RefusedError as refused:
            if refused.reason != "ALREADY_SEATED":
                raise
            return await self.game(refused.metadata["match"])
        try:
            name = await waiting.match()
        except asyncio.CancelledError:
            with suppress(SparrowError):  # too late, or out of reach: it expires by itself
                await waiting.cancel()
            raise
        return await self.game(name)

    async def game(self, name: str) -> Game:
        """Return a game of this player, "matches/<uuid>", running or ended: to go on after a restart."""
        request = match_wire.GetMatchRequest(name=name)
        answer = await self._link.calls.unary(self._link.match.GetMatch, request, LIST_DEADLINE_S)
        return Game(self._link, answer.match)

    async def games(self) -> AsyncGenerator[GameSummary, None]:
        """Yield this player's games, the newest first."""
        token = ""
        while True:
            request = match_wire.ListMatchesRequest(page_size=PAGE_SIZE, page_token=token)
            answer = await self._link.calls.unary(self._link.match.ListMatches, request, LIST_DEADLINE_S)
            for found in answer.matches:
                yield summary_of(found)
            if not (token := answer.next_page_token):
                return

    async def level(self, level: int) -> Level:
        """Tell about a level and what this player has done on it."""
        request = match_wire.GetLevelRequest(level=level)
        answer = await self._link.calls.unary(self._link.match.GetLevel, request, LIST_DEADLINE_S)
        return level_of(answer.level)

    async def level_bests(self, level: int) -> LevelBests:
        """Return the ten best times of a level and this player's own place."""
        request = match_wire.ListLevelBestsRequest(level=level)
        answer = await self._link.calls.unary(self._link.match.ListLevelBests, request, LIST_DEADLINE_S)
        own = best_of(answer.own) if answer.HasField("own") else None
        return LevelBests(tuple(best_of(row) for row in answer.bests), own)

    # -- boards

    def board(
        self, board: BoardKind | str, *, page_size: int = PAGE_SIZE, around: str = ""
    ) -> AsyncIterator[BoardEntry]:
        """Yield the rows of a board from the top, or from the page around a player on: see `boards.rows`."""
        return self.boards.rows(board, page_size=page_size, around=around)

    async def board_page(
        self,
        board: BoardKind | str,
        *,
        page_size: int = PAGE_SIZE,
        page_token: str = "",
        around: str = "",
        day: date | None = None,
        as_of: datetime | None = None,
        club: str = "",
        with_previous_rank: bool = False,
    ) -> BoardPage:
        """Return one page of a board with its window: see `boards.page`."""
        return await self.boards.page(
            board,
            page_size=page_size,
            page_token=page_token,
            around=around,
            day=day,
            as_of=as_of,
            club=club,
            with_previous_rank=with_previous_rank,
        )

    async def standings(self, player: str = ME) -> tuple[Standing, ...]:
        """Return a player's rank and points on every board, in the order of `BoardKind`."""
        return await self.boards.standings(player)

    # -- profiles

    async def profiles(self, players: list[str]) -> dict[str, Profile]:
        """Return the profiles of players by their names; unknown players are left out."""
        found: dict[str, Profile] = {}
        for start in range(0, len(players), PAGE_SIZE):
            request = account_wire.BatchGetProfilesRequest(names=players[start : start + PAGE_SIZE])
            answer = await self._link.calls.unary(
                self._link.account.BatchGetProfiles, request, LIST_DEADLINE_S
            )
            found |= {profile.name: profile_of(profile) for profile in answer.profiles}
        return found

    async def rename(self, display_name: str) -> Profile:
        """Change the name shown to others. Raises RefusedError NAME_TAKEN where another player has it."""
        request = account_wire.UpdateProfileRequest(
            profile=account.Profile(name=self.profile.name, display_name=display_name),
            update_mask=FieldMask(paths=["display_name"]),
            request_id=str(uuid4()),
        )
        answer = await self._link.calls.unary(self._link.account.UpdateProfile, request, LIST_DEADLINE_S)
        self.profile = profile_of(answer.profile)
        return self.profile

    async def sign_out(self, *, everywhere: bool = False) -> None:
        """End this session, or every session of the player. The next call signs in anew."""
        request = account_wire.SignOutRequest(all_sessions=everywhere, request_id=str(uuid4()))
        await self._link.calls.unary(self._link.account.SignOut, request, LIST_DEADLINE_S)
        self._link.session.forget()


def _link(channel: grpc.aio.Channel, key: bytes, retries: Retries, now: Now, language: str) -> Link:
    """Put the stubs, the session and the way of calling together."""
    account_stub = AccountServiceStub(channel)
    session = Session(account_stub, key, retries, now, language)
    return Link(
        session=session,
        calls=Calls(session, retries, language),
        retries=retries,
        account=account_stub,
        clubs=ClubServiceStub(channel),
        match=MatchServiceStub(channel),
        learning=LearningServiceStub(channel),
        ledger=LedgerServiceStub(channel),
    )
