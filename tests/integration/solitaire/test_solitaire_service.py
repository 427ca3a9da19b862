"""The catalogue, deals and solves, over real gRPC."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import grpc
import pytest

from libs.pb.sparrow.solitaire.v1 import solitaire_pb2
from libs.pb.sparrow.solitaire.v1 import solitaire_service_pb2 as pb
from libs.pb.sparrow.solitaire.v1.solitaire_service_pb2_grpc import SolitaireServiceStub
from libs.rules.solitaire import catalogue
from libs.rules.solitaire.levels import level_deal
from services.solitaire.servicer import bind
from tests.support.edge import Edge, refused, serving

Verdict = pb.SolvePositionResponse


@pytest.fixture
async def edge() -> AsyncIterator[Edge]:
    """A server with the solitaire service."""
    async with serving([bind]) as edge:
        yield edge


def stub(edge: Edge) -> Any:
    """The client of the service."""
    return SolitaireServiceStub(edge.channel)


def row(*faces: str) -> dict[str, Any]:
    """Return a position of tiles in one row: only its ends are free."""
    places = [solitaire_pb2.TilePosition(x=2 * i, y=0, z=0) for i in range(len(faces))]
    rules = solitaire_pb2.Rules(
        matching=solitaire_pb2.MATCHING_EXACT, pairing=solitaire_pb2.PAIRING_BOTH_FREE
    )
    return {
        "layout": solitaire_pb2.Layout(tiles=places),
        "faces": list(faces),
        "present": list(range(len(faces))),
        "rules": rules,
    }


def solve(edge: Edge, position: dict[str, Any]) -> Any:
    """Call SolvePosition as a service."""
    return stub(edge).SolvePosition(pb.SolvePositionRequest(**position), metadata=edge.as_service())


async def test_pages_of_the_catalogue_hold_every_layout_once_by_name(edge: Edge) -> None:
    """Pages of two go through the whole catalogue; the last has no token."""
    names: list[str] = []
    token = ""
    while True:
        page = await stub(edge).ListLayouts(pb.ListLayoutsRequest(page_size=2, page_token=token))
        assert 1 <= len(page.layouts) <= 2
        names += [layout.name for layout in page.layouts]
        token = page.next_page_token
        if not token:
            break

    assert names == sorted(f"layouts/{name}" for name in catalogue.layout_names())


async def test_bad_pages_are_refused(edge: Edge) -> None:
    """Negative sizes, garbage, another caller's, an old and another list's token each have their answer."""
    page = await stub(edge).ListLayouts(pb.ListLayoutsRequest(page_size=1))
    token = page.next_page_token

    async def answer(**fields: Any) -> tuple[grpc.StatusCode, str]:
        metadata = fields.pop("metadata", None)
        refusal = await refused(stub(edge).ListLayouts(pb.ListLayoutsRequest(**fields), metadata=metadata))
        return refusal.code, refusal.reason

    invalid = grpc.StatusCode.INVALID_ARGUMENT
    assert await answer(page_size=-1) == (invalid, "FIELD_INVALID")
    assert await answer(page_token="garbage") == (invalid, "PAGE_TOKEN_INVALID")
    assert await answer(page_token=token, metadata=edge.as_player()) == (invalid, "PAGE_TOKEN_INVALID")
    edge.clock.advance(timedelta(minutes=15))
    assert await answer(page_token=token) == (grpc.StatusCode.FAILED_PRECONDITION, "PAGE_EXPIRED")


async def test_layouts_are_read_by_name(edge: Edge) -> None:
    """Every place of the layout is there; unknown names are NOT_FOUND, malformed ones FIELD_INVALID."""
    name = catalogue.layout_names()[0]
    response = await stub(edge).GetLayout(pb.GetLayoutRequest(name=f"layouts/{name}"))
    unknown = await refused(stub(edge).GetLayout(pb.GetLayoutRequest(name="layouts/nowhere")))
    malformed = await refused(stub(edge).GetLayout(pb.GetLayoutRequest(name="layouts/../x")))

    places = [(tile.x, tile.y, tile.z) for tile in response.layout.tiles]
    assert places == [tuple(tile) for tile in catalogue.layout(name).tiles]
    assert (unknown.code, malformed.reason) == (grpc.StatusCode.NOT_FOUND, "FIELD_INVALID")


async def test_a_deal_is_the_rules_own(edge: Edge) -> None:
    """Faces, certificate and HARD come from the rules; a repeat from the cache is equal."""
    request = pb.DealLevelRequest(level=20)
    first = await stub(edge).DealLevel(request, metadata=edge.as_service())
    again = await stub(edge).DealLevel(request, metadata=edge.as_service())

    expected = level_deal(20)
    assert list(first.faces) == list(expected.faces)
    assert [(pair.first, pair.second) for pair in first.certificate] == list(expected.certificate)
    assert (first.hard, again) == (True, first)


@pytest.mark.parametrize("level", [0, -1, 11_001, 2**31 - 1])
async def test_levels_outside_the_catalogue_are_refused(edge: Edge, level: int) -> None:
    """Levels run from 1 to 11,000."""
    refusal = await refused(
        stub(edge).DealLevel(pb.DealLevelRequest(level=level), metadata=edge.as_service())
    )

    assert (refusal.reason, refusal.field) == ("FIELD_INVALID", "level")


async def test_positions_are_decided_in_a_process_of_their_own(edge: Edge) -> None:
    """Solved with a certificate, unsolvable, and undecided for want of nodes."""
    solved = await solve(edge, row("1m", "2m", "2m", "1m"))
    unsolvable = await solve(edge, row("1m", "1m", "2m", "2m") | {"present": [0, 2]})
    starved = await solve(edge, row("1m", "2m", "1m", "2m") | {"node_budget": 1})

    assert solved.verdict == Verdict.VERDICT_SOLVED
    assert [(pair.first, pair.second) for pair in solved.certificate] == [(0, 3), (1, 2)]
    assert unsolvable.verdict == Verdict.VERDICT_UNSOLVABLE
    assert starved.verdict in (Verdict.VERDICT_UNDECIDED, Verdict.VERDICT_UNSOLVABLE)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"layout": solitaire_pb2.Layout(name="x")}, "layout.tiles"),
        ({"layout": solitaire_pb2.Layout(tiles=[solitaire_pb2.TilePosition()] * 4)}, "layout.tiles"),
        ({"layout": solitaire_pb2.Layout(tiles=[solitaire_pb2.TilePosition(x=-1)] * 4)}, "layout.tiles"),
        ({"layout": solitaire_pb2.Layout(tiles=[solitaire_pb2.TilePosition()] * 3)}, "layout.tiles"),
        ({"layout": solitaire_pb2.Layout(tiles=[solitaire_pb2.TilePosition()] * 300)}, "layout.tiles"),
        ({"faces": ["1m"] * 3}, "faces"),
        ({"faces": ["1m"] * 5}, "faces"),
        ({"faces": ["1m", "2m", "9x", "1m"]}, "faces[2]"),
        ({"faces": ["1m", "", "2m", "1m"]}, "faces[1]"),
        ({"present": [0, 4]}, "present[1]"),
        ({"present": [-1, 0]}, "present[0]"),
        ({"present": [0, 1, 2, 0]}, "present[3]"),
        ({"present": [0, 1, 2]}, "present"),
        ({"present": []}, "present"),
        ({"node_budget": -5}, "node_budget"),
        ({"rules": solitaire_pb2.Rules(matching=solitaire_pb2.MATCHING_EXACT)}, "rules.pairing"),
    ],
)
async def test_what_is_no_position_names_its_field(edge: Edge, change: dict[str, Any], field: str) -> None:
    """Indices out of range, tiles twice, odd sets, unknown faces, impossible layouts."""
    refusal = await refused(solve(edge, row("1m", "2m", "2m", "1m") | change))

    assert (refusal.code, refusal.field) == (grpc.StatusCode.INVALID_ARGUMENT, field)
