"""Tournament points, over real gRPC."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from libs.pb.sparrow.tournament.v1 import tournament_pb2
from libs.pb.sparrow.tournament.v1 import tournament_service_pb2 as pb
from libs.pb.sparrow.tournament.v1.tournament_service_pb2_grpc import TournamentServiceStub
from services.tournament.servicer import bind
from tests.support.edge import refused, serving


def result(number: int, score: int, **fields: Any) -> tournament_pb2.TableResult:
    """Return one seat's result."""
    values = {"player": f"players/{UUID(int=number)}", "round_score": score, **fields}
    return tournament_pb2.TableResult(**values)


async def test_a_table_gets_its_points(module_database_url: str) -> None:
    """Anybody may ask; lines come in the order of places, multiplied."""
    async with serving([bind], database_url=module_database_url) as edge:
        response = await TournamentServiceStub(edge.channel).CalculateTablePoints(
            pb.CalculateTablePointsRequest(
                results=[result(1, 50), result(2, 70), result(3, 50), result(4, 20, cleared=True)],
                multiplier=2,
            )
        )

    lines = [(line.player[-1], line.place, line.tournament_points) for line in response.points]
    assert lines == [("4", 1, 80), ("2", 2, 40), ("1", 3, 10), ("3", 3, 10)]


@pytest.mark.parametrize(
    ("results", "multiplier", "field"),
    [
        ([], 1, "results"),
        ([result(1, 5)], 1, "results"),
        ([result(n, 5) for n in range(5)], 1, "results"),
        ([result(1, 5), result(1, 5)], 1, "results"),
        ([result(1, 5), result(2, -5)], 1, "results.round_score"),
        ([result(1, 5, cleared=True), result(2, 5, cleared=True)], 1, "results.cleared"),
        ([result(1, 5), result(2, 5, player="me")], 1, "results[1].player"),
        ([result(1, 5), result(2, 5, player="")], 1, "results[1].player"),
        ([result(1, 5), result(2, 5)], 0, "multiplier"),
        ([result(1, 5), result(2, 5)], 7, "multiplier"),
    ],
)
async def test_what_is_no_table_names_its_field(
    module_database_url: str, results: list[Any], multiplier: int, field: str
) -> None:
    """Seats, players, scores and multiplier are checked."""
    async with serving([bind], database_url=module_database_url) as edge:
        request = pb.CalculateTablePointsRequest(results=results, multiplier=multiplier)
        refusal = await refused(TournamentServiceStub(edge.channel).CalculateTablePoints(request))

    assert (refusal.reason, refusal.field) == ("FIELD_INVALID", field)
