"""Boards between protobuf and the rules; what a position must be before it is solved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from libs.pb.sparrow.solitaire.v1 import solitaire_pb2, solitaire_service_pb2
from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.layouts import InvalidLayoutError, Layout
from libs.rules.solitaire.levels import LevelDeal, is_hard
from libs.rules.solitaire.solver import NODE_BUDGET, Solved, Undecided, Unsolvable
from libs.rules.tiles import Face, parse_face
from libs.runtime.errors import invalid_field
from libs.runtime.names import layout_name
from services.solitaire.domain import Position

Verdict = Solved | Unsolvable | Undecided
_Response = solitaire_service_pb2.SolvePositionResponse

_MATCHINGS = {
    solitaire_pb2.MATCHING_EXACT: Matching.EXACT,
    solitaire_pb2.MATCHING_FLOWERS_SEASONS: Matching.FLOWERS_SEASONS,
    solitaire_pb2.MATCHING_BONUS_ANY: Matching.BONUS_ANY,
}
_PAIRINGS = {solitaire_pb2.PAIRING_BOTH_FREE: Pairing.BOTH_FREE, solitaire_pb2.PAIRING_LIFT: Pairing.LIFT}


def layout_message(layout: Layout) -> solitaire_pb2.Layout:
    """Return a layout of the catalogue."""
    places = [solitaire_pb2.TilePosition(x=tile.x, y=tile.y, z=tile.z) for tile in layout.tiles]
    title = layout.name.replace("_", " ").replace("-", " ").title()
    return solitaire_pb2.Layout(name=layout_name(layout.name), title=title, tiles=places)


def pair_messages(pairs: Iterable[tuple[int, int]]) -> list[solitaire_pb2.TilePair]:
    """Return pairs in their order."""
    return [solitaire_pb2.TilePair(first=first, second=second) for first, second in pairs]


def deal_message(deal: LevelDeal) -> solitaire_service_pb2.DealLevelResponse:
    """Return a level ready to play."""
    return solitaire_service_pb2.DealLevelResponse(
        level=deal.level,
        catalogue_version=deal.catalogue_version,
        layout=layout_message(deal.layout),
        faces=deal.faces,
        certificate=pair_messages(deal.certificate),
        hard=is_hard(deal.level),
    )


def verdict_message(verdict: Verdict) -> _Response:
    """Return the outcome of a solve."""
    match verdict:
        case Solved():
            certificate = pair_messages(verdict.certificate)
            return _Response(verdict=_Response.VERDICT_SOLVED, certificate=certificate, nodes=verdict.nodes)
        case Unsolvable():
            return _Response(verdict=_Response.VERDICT_UNSOLVABLE, nodes=verdict.nodes)
        case Undecided():
            return _Response(verdict=_Response.VERDICT_UNDECIDED, nodes=verdict.nodes)


def read_position(request: solitaire_service_pb2.SolvePositionRequest) -> Position:
    """Return the position to solve. Raises FIELD_INVALID with the field that is wrong."""
    layout = _read_layout(request.layout)
    return Position(
        layout,
        _read_faces(request.faces, layout.size),
        _read_present(request.present, layout.size),
        _MATCHINGS[request.rules.matching],
        _PAIRINGS[request.rules.pairing],
        _read_budget(request.node_budget),
    )


def _read_layout(message: solitaire_pb2.Layout) -> Layout:
    try:
        return Layout.parse("asked", [(tile.x, tile.y, tile.z) for tile in message.tiles])
    except InvalidLayoutError as error:
        raise invalid_field("layout.tiles", str(error)) from error


def _read_faces(texts: Sequence[str], size: int) -> tuple[Face, ...]:
    if len(texts) != size:
        raise invalid_field("faces", f"{size} faces, one for every place of the layout")
    faces = []
    for index, text in enumerate(texts):
        face = parse_face(text)
        if face is None:
            raise invalid_field(f"faces[{index}]", "not a face")
        faces.append(face)
    return tuple(faces)


def _read_present(tiles: Sequence[int], size: int) -> int:
    present = 0
    for index, tile in enumerate(tiles):
        if not 0 <= tile < size:
            raise invalid_field(f"present[{index}]", f"a tile index from 0 to {size - 1}")
        if present >> tile & 1:
            raise invalid_field(f"present[{index}]", f"tile {tile} is named twice")
        present |= 1 << tile
    if len(tiles) % 2:
        raise invalid_field("present", "an even number of tiles")
    return present


def _read_budget(value: int) -> int:
    if value < 0:
        raise invalid_field("node_budget", "not negative")
    return min(value or NODE_BUDGET, NODE_BUDGET)
