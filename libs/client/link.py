"""What every part of the client asks through: the stubs on one channel, and how calls are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from libs.client.calls import Calls, Retries
from libs.client.session import Session

if TYPE_CHECKING:
    from libs.pb.sparrow.account.v1.account_service_pb2_grpc import AccountServiceAsyncStub
    from libs.pb.sparrow.account.v1.club_service_pb2_grpc import ClubServiceAsyncStub
    from libs.pb.sparrow.ledger.v1.ledger_service_pb2_grpc import LedgerServiceAsyncStub
    from libs.pb.sparrow.match.v1.learning_service_pb2_grpc import LearningServiceAsyncStub
    from libs.pb.sparrow.match.v1.match_service_pb2_grpc import MatchServiceAsyncStub


@dataclass(frozen=True)
class Link:
    """A signed-in connection."""

    session: Session
    calls: Calls
    retries: Retries
    account: AccountServiceAsyncStub
    clubs: ClubServiceAsyncStub
    match: MatchServiceAsyncStub
    learning: LearningServiceAsyncStub
    ledger: LedgerServiceAsyncStub
