"""The learning board on the wire, and its position as the client keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from libs.pb.sparrow.match.v1 import learning_pb2 as pb
from libs.pb.sparrow.match.v1 import match_pb2
from libs.pb.sparrow.solitaire.v1 import solitaire_pb2
from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import Closed, Covered, free_mask, uncovered
from libs.rules.tiles import Face
from services.match.domain.learning.play import Outcome, Position
from services.match.domain.learning.script import Step, board
from services.match.wire.layouts import layout_to_wire

_STEPS: Final = {step: pb.LearningStep.Value(f"LEARNING_STEP_{step}") for step in Step}


def to_payload(position: Position) -> dict[str, Any]:
    """What a token holds of a position."""
    return {
        "faces": " ".join(position.faces),
        "present": position.present,
        "step": position.step.value,
        "version": position.version,
        "lit": position.lit,
    }


def from_payload(payload: Mapping[str, Any]) -> Position:
    """The position that a token of ours holds."""
    lit = payload["lit"]
    return Position(
        faces=tuple(Face(face) for face in payload["faces"].split()),
        present=payload["present"],
        step=Step(payload["step"]),
        version=payload["version"],
        lit=None if lit is None else (lit[0], lit[1]),
    )


def learning_message(
    position: Position, token: str, instruction: str, locale: str, *, with_layout: bool
) -> pb.LearningBoard:
    """The script at a position."""
    return pb.LearningBoard(
        position=token,
        step=_STEPS[position.step],
        instruction=instruction,
        locale=locale,
        board=match_pb2.Board(
            layout=layout_to_wire(board(), board().name.title()) if with_layout else None,
            present=bits(position.present),
            faces=[
                match_pb2.VisibleFace(tile=tile, face=position.faces[tile])
                for tile in uncovered(board(), position.present)
            ],
            free_tiles=bits(free_mask(board(), position.present)),
            pair_available=bool(position.pairs),
            board_version=position.version,
        ),
        lit=_pair(position.lit),
    )


def update_message(outcome: Outcome, text: str, learning: pb.LearningBoard) -> pb.LearningUpdate:
    """What came of an action."""
    return pb.LearningUpdate(
        note=pb.LearningNote.Value(f"LEARNING_NOTE_{outcome.note}"),
        text=text,
        tile=outcome.tile,
        pair=_pair(outcome.pair),
        blockers=_blockers(outcome),
        learning=learning,
    )


def _blockers(outcome: Outcome) -> match_pb2.Blockers | None:
    match outcome.blocked:
        case Covered(by):
            return match_pb2.Blockers(covered_by=by)
        case Closed(left, right):
            return match_pb2.Blockers(left=left, right=right)
        case None:
            return None


def _pair(pair: tuple[int, int] | None) -> solitaire_pb2.TilePair | None:
    return None if pair is None else solitaire_pb2.TilePair(first=pair[0], second=pair[1])
