"""Whatever a client sends, it is answered, and never by INTERNAL."""

from __future__ import annotations

from random import Random
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pool
from google.protobuf.descriptor import MethodDescriptor

from libs.runtime.errors import STATUS_OF_REASON
from services.account.servicer import bind as bind_account
from services.ledger.servicer import bind as bind_ledger
from services.match.servicer import bind as bind_match
from services.mcr.servicer import bind as bind_mcr
from services.solitaire.servicer import bind as bind_solitaire
from services.tournament.servicer import bind as bind_tournament
from tests.support.edge import Edge, refusal_of, serving
from tests.support.wild_messages import wild_message

SERVICES = (
    "sparrow.account.v1.AccountService",
    "sparrow.account.v1.ClubService",
    "sparrow.ledger.v1.LedgerService",
    "sparrow.match.v1.FairPlayService",
    "sparrow.match.v1.HistoryService",
    "sparrow.match.v1.LearningService",
    "sparrow.match.v1.MatchService",
    "sparrow.match.v1.PoolService",
    "sparrow.match.v1.PrivateGameService",
    "sparrow.match.v1.RaceService",
    "sparrow.match.v1.RematchService",
    "sparrow.match.v1.SpectateService",
    "sparrow.match.v1.TournamentMatchService",
    "sparrow.mcr.v1.HistoryService",
    "sparrow.mcr.v1.LobbyService",
    "sparrow.mcr.v1.McrService",
    "sparrow.mcr.v1.TableService",
    "sparrow.solitaire.v1.SolitaireService",
    "sparrow.tournament.v1.TournamentService",
)
MESSAGES_PER_METHOD = 40


def methods() -> list[MethodDescriptor]:
    """Return all methods of the services."""
    pool = descriptor_pool.Default()
    return [method for name in SERVICES for method in pool.FindServiceByName(name).methods]


async def outcome(edge: Edge, method: MethodDescriptor, raw: bytes, metadata: Any) -> str:
    """Return OK, or the reason of the refusal."""
    service = method.containing_service
    assert service is not None
    call: Any = edge.channel.unary_unary(f"/{service.full_name}/{method.name}")
    try:
        await call(raw, metadata=metadata, timeout=20)
    except grpc.aio.AioRpcError as error:
        return refusal_of(error).reason
    return "OK"


@pytest.mark.timeout(180)
async def test_no_request_is_an_internal_error(module_database_url: str) -> None:
    """Extreme, incomplete and malformed messages by every kind of caller have an answer of the table."""
    random = Random(20260302)
    binds = [bind_account, bind_ledger, bind_match, bind_mcr, bind_solitaire, bind_tournament]
    async with serving(binds, database_url=module_database_url) as edge:
        player = edge.as_player()
        for method in methods():
            reasons = set()
            for number in range(MESSAGES_PER_METHOD):
                raw = wild_message(method.input_type, random).SerializeToString()
                if number % 4 == 3:
                    raw = random.randbytes(random.randrange(200))
                for metadata in (None, player, edge.as_service(), edge.as_operator()):
                    reasons.add(await outcome(edge, method, raw, metadata))
            assert reasons <= EXPECTED, f"{method.full_name}: {reasons - EXPECTED}"


EXPECTED = {"OK", *STATUS_OF_REASON} - {"INTERNAL", "RATE_LIMIT"}
"""A call alone is never too much, and never an error of ours."""
