"""The board of a seat while a game is told again: how it lies after each of the seat's steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from libs.client.replays import Replay, Shuffled, Step, TakenPair, UndonePair


def boards(replay: Replay, seat: int) -> Iterator[Mapping[int, str]]:
    """Yield the tiles that are left, each with its face: as dealt, then after each step of the replay.

    A face that may not be known is empty.
    """
    dealt = replay.boards[replay.seats[seat].board]
    left = {tile: dealt.faces.get(tile, "") for tile in range(len(dealt.places))}
    yield left
    for step in replay.steps:
        if step.seat == seat:
            left = _after(left, step)
        yield left


def _after(left: dict[int, str], step: Step) -> dict[int, str]:
    match step.what:
        case TakenPair(tiles=tiles):
            return {tile: face for tile, face in left.items() if tile not in tiles}
        case Shuffled(faces=faces, impossible=False) | UndonePair(faces=faces):
            return dict(faces)
        case _:
            return left
