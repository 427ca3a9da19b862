"""Tables of tournaments as the tournament service has them played, by its signed calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from secrets import token_bytes
from typing import Any
from uuid import UUID, uuid4

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.pb.sparrow.match.v1 import tournament_match_service_pb2 as pb
from libs.pb.sparrow.match.v1.tournament_match_service_pb2_grpc import TournamentMatchServiceStub
from services.match.domain.rivals.match_events import TournamentMatchEnded
from services.match.wire.match_codec import decode_match_fact
from tests.support.edge import START
from tests.support.round_player import Hall, RoundPlayer


@dataclass
class TournamentRound:
    """A round of a tournament: tables of accounts, each with its match."""

    ends_at: datetime
    tables: list[Sequence[UUID]]
    limit: timedelta = timedelta(minutes=5)
    tournament_id: UUID = field(default_factory=uuid4)
    number: int = 1
    match_ids: list[UUID] = field(default_factory=list)
    born_at: datetime = START
    """When the round was seated: matches are born then."""

    def __post_init__(self) -> None:
        """Name the matches."""
        if not self.match_ids:
            self.match_ids = [uuid7(self.born_at, token_bytes(RANDOM_BYTES)) for _ in self.tables]

    @property
    def names(self) -> list[str]:
        """The names of the matches."""
        return [f"matches/{match_id}" for match_id in self.match_ids]

    @property
    def request(self) -> pb.BeginTournamentMatchesRequest:
        """The call that begins it."""
        limit, end = Duration(), Timestamp()
        limit.FromTimedelta(self.limit)
        end.FromDatetime(self.ends_at)
        return pb.BeginTournamentMatchesRequest(
            tournament_id=str(self.tournament_id),
            round_number=self.number,
            round_limit=limit,
            end_time=end,
            tables=[
                pb.TournamentTableSeats(match_id=str(match_id), account_ids=map(str, accounts))
                for match_id, accounts in zip(self.match_ids, self.tables, strict=True)
            ],
        )


def round_of(hall: Hall, *tables: Sequence[RoundPlayer], **more: Any) -> TournamentRound:
    """A round of these players, of a tournament that ends in an hour unless said otherwise."""
    more.setdefault("ends_at", hall.edge.clock.now() + timedelta(hours=1))
    return TournamentRound(tables=[[player.account_id for player in table] for table in tables], **more)


async def begin(hall: Hall, played: TournamentRound) -> None:
    """Begin its tables, as the tournament service does."""
    stub: Any = TournamentMatchServiceStub(hall.edge.channel)
    await stub.BeginTournamentMatches(played.request, metadata=hall.edge.as_service("tournament"))


async def cut(hall: Hall, match_ids: Sequence[UUID], at: datetime) -> list[str]:
    """Cut matches; return those that have not begun."""
    stub: Any = TournamentMatchServiceStub(hall.edge.channel)
    request = pb.CutTournamentMatchesRequest(match_ids=map(str, match_ids))
    request.cut_time.FromDatetime(at)
    reply = await stub.CutTournamentMatches(request, metadata=hall.edge.as_service("tournament"))
    return list(reply.unknown_match_ids)


async def end_of(hall: Hall, match_id: UUID) -> TournamentMatchEnded | None:
    """What the tournament is told of a match; None while it is played."""
    facts = [decode_match_fact(event) for event in await hall.database.store.load(match_id)]
    ends = [fact for fact in facts if isinstance(fact, TournamentMatchEnded)]
    assert len(ends) < 2, "a match ends once"
    return ends[0] if ends else None
