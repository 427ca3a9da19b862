"""A player of the pool over gRPC: keeps every message that was sent to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as ledger_service
from libs.pb.sparrow.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub
from libs.pb.sparrow.match.v1 import pool_pb2, ticket_pb2
from libs.pb.sparrow.match.v1 import pool_service_pb2 as pb
from libs.pb.sparrow.match.v1.pool_service_pb2_grpc import PoolServiceStub
from services.match.domain.pool.dealing import certificate_of
from services.match.domain.pool.events import Event, PoolDealt
from services.match.domain.pool.terms import PoolDeal
from services.match.wire.pool_codec import PoolCodec
from tests.support.round_player import Hall, RoundPlayer, quick_matches_served

SUMS = (
    "SELECT coalesce(sum(CASE WHEN credit = $1 THEN amount ELSE -amount END), 0) FROM transfer"
    " WHERE asset = 'CHIP' AND (credit = $1 OR debit = $1)"
)


@dataclass
class PoolPlayer(RoundPlayer):
    """One account on one device."""

    told: list[pb.WatchPoolGameResponse] = field(default_factory=list)

    @property
    def pool(self) -> Any:
        """The calls."""
        return PoolServiceStub(self.edge.channel)

    async def train(self, minutes: int = 0, request_id: str | None = None) -> pool_pb2.PoolGame:
        """Begin training."""
        request = pb.StartPoolTrainingRequest(limit_minutes=minutes, request_id=request_id or str(uuid4()))
        reply: pb.StartPoolTrainingResponse = await self.pool.StartPoolTraining(
            request, metadata=self.metadata
        )
        return reply.game

    async def train_again(
        self, name: str, *, new_deal: bool = False, request_id: str | None = None
    ) -> pool_pb2.PoolGame:
        """Restart."""
        request = pb.RestartPoolTrainingRequest(
            name=name, new_deal=new_deal, request_id=request_id or str(uuid4())
        )
        reply: pb.RestartPoolTrainingResponse = await self.pool.RestartPoolTraining(
            request, metadata=self.metadata
        )
        return reply.game

    async def remove(
        self, name: str, first: int, second: int, version: int, request_id: str | None = None
    ) -> pool_pb2.PoolUpdate:
        """Take a pair."""
        request = pb.RemovePoolPairRequest(
            name=name,
            first=first,
            second=second,
            expected_board_version=version,
            request_id=request_id or str(uuid4()),
        )
        reply: pb.RemovePoolPairResponse = await self.pool.RemovePoolPair(request, metadata=self.metadata)
        return reply.update

    async def undo(self, name: str, version: int) -> pool_pb2.PoolUpdate:
        """Take the last pair back."""
        request = pb.UndoPoolPairRequest(name=name, expected_board_version=version, request_id=str(uuid4()))
        reply: pb.UndoPoolPairResponse = await self.pool.UndoPoolPair(request, metadata=self.metadata)
        return reply.update

    async def shuffle(self, name: str, version: int, request_id: str | None = None) -> pool_pb2.PoolUpdate:
        """Shuffle."""
        request = pb.ShufflePoolRequest(
            name=name, expected_board_version=version, request_id=request_id or str(uuid4())
        )
        reply: pb.ShufflePoolResponse = await self.pool.ShufflePool(request, metadata=self.metadata)
        return reply.update

    async def hint(self, name: str, version: int) -> pool_pb2.PoolUpdate:
        """Ask for a hint."""
        request = pb.GetPoolHintRequest(name=name, expected_board_version=version, request_id=str(uuid4()))
        reply: pb.GetPoolHintResponse = await self.pool.GetPoolHint(request, metadata=self.metadata)
        return reply.update

    async def end(self, name: str) -> pool_pb2.PoolUpdate:
        """End the own game."""
        request = pb.EndPoolGameRequest(name=name, request_id=str(uuid4()))
        reply: pb.EndPoolGameResponse = await self.pool.EndPoolGame(request, metadata=self.metadata)
        return reply.update

    async def leave_pool(self, name: str) -> pool_pb2.PoolUpdate:
        """Leave a match."""
        request = pb.LeavePoolGameRequest(name=name, request_id=str(uuid4()))
        reply: pb.LeavePoolGameResponse = await self.pool.LeavePoolGame(request, metadata=self.metadata)
        return reply.update

    async def game(self, name: str) -> pool_pb2.PoolGame:
        """Read a game."""
        request = pb.GetPoolGameRequest(name=name)
        reply: pb.GetPoolGameResponse = await self.pool.GetPoolGame(request, metadata=self.metadata)
        return reply.game

    def watch_pool(self, name: str, resume_token: str = "") -> Any:
        """Open a stream."""
        request = pb.WatchPoolGameRequest(name=name, resume_token=resume_token)
        return self.pool.WatchPoolGame(request, metadata=self.metadata)

    def follow_pool(self, name: str, resume_token: str = "") -> asyncio.Task[None]:
        """Follow a game, keeping what comes, until the stream ends."""

        async def hear() -> None:
            async for message in self.watch_pool(name, resume_token):
                self.told.append(message)

        return asyncio.create_task(hear())

    async def clear_pool(
        self, name: str, pairs: Sequence[tuple[int, int]], version: int = 0
    ) -> pool_pb2.PoolUpdate:
        """Take these pairs; return the last update."""
        update = pool_pb2.PoolUpdate()
        for number, (first, second) in enumerate(pairs, version):
            update = await self.remove(name, first, second, number)
        return update


@dataclass
class PoolHall(Hall):
    """The served game, its log and its ledger."""

    async def give_chips(self, player: PoolPlayer, number: int) -> None:
        """An operator gives chips."""
        request = ledger_service.GrantAssetRequest(
            player=player.name,
            asset=ledger_pb2.ASSET_CHIP,
            amount=number,
            reason="TEST",
            request_id=str(uuid4()),
        )
        await LedgerServiceStub(self.edge.channel).GrantAsset(request, metadata=self.edge.as_operator())

    async def chips(self, player: PoolPlayer) -> int:
        """How many chips an account owns."""
        request = ledger_service.GetBalancesRequest(player=player.name)
        reply = await LedgerServiceStub(self.edge.channel).GetBalances(request, metadata=player.metadata)
        return next(int(b.amount) for b in reply.balances if b.asset == ledger_pb2.ASSET_CHIP)

    async def gather(self, *players: PoolPlayer) -> str:
        """Seat players at one match; return its name. Stakes are being paid."""
        for player in players:
            await player.wait(ticket_pb2.QUEUE_POOL)
        if len(players) < 4:
            self.step(seconds=10)
        names = {await player.seated() for player in players}
        assert len(names) == 1
        return names.pop()

    async def countdown(self, name: str, player: PoolPlayer) -> pool_pb2.PoolGame:
        """Wait until stakes are decided."""
        async with asyncio.timeout(10):
            while True:
                game = await player.game(name)
                if game.state != pool_pb2.POOL_STATE_STAKING:
                    return game
                await asyncio.sleep(0.05)

    async def started(self, *players: PoolPlayer, chips: int = 1_000) -> str:
        """A match of these players after the signal."""
        for player in players:
            await self.give_chips(player, chips)
        name = await self.gather(*players)
        await self.countdown(name, players[0])
        self.step(seconds=3)
        return name

    async def pool_facts(self, name: str) -> list[Event]:
        """What happened in a game."""
        recorded = await self.database.store.load(UUID(name.removeprefix("matches/")))
        return [PoolCodec().decode(event) for event in recorded]

    async def pool_deal(self, name: str) -> PoolDeal:
        """The secret deal."""
        first = (await self.pool_facts(name))[0]
        assert isinstance(first, PoolDealt)
        return first.deal

    async def pool_solution(self, name: str) -> Sequence[tuple[int, int]]:
        """Pairs that clear the board."""
        return certificate_of((await self.pool_deal(name)).seed)

    async def in_escrow(self, name: str) -> int:
        """Chips that lie in the escrow of a match, by the ledger's own transfers."""
        ledger = next(database for database in self.edge.databases if database.schema == "ledger")
        account = f"house/pool-{name.removeprefix('matches/')}"
        return int(await ledger.pool.fetchval(SUMS, account))


@asynccontextmanager
async def pools_served(database_url: str, **settings: Any) -> AsyncIterator[PoolHall]:
    """Serve match and ledger with the loops that the pool needs."""
    async with quick_matches_served(database_url, **settings) as hall:
        yield PoolHall(hall.edge)
