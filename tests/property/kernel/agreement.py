"""Random small positions, and whether the kernel says about them what the definition says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from libs import kernel
from libs.rules.solitaire import solver
from libs.rules.solitaire.bitset import mask_of
from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.certificate import replay
from libs.rules.solitaire.layouts import Layout, Position
from libs.rules.solitaire.moves import available_pairs
from libs.rules.tiles import Face

FACES = tuple(Face(name) for name in ("1m", "2p", "3s", "Dr", "Fl1", "Fl2", "Fl3", "Se1", "Se2", "Se3"))


@dataclass(frozen=True)
class Small:
    """A position that the definition decides in a moment."""

    layout: Layout
    faces: tuple[Face, ...]
    present: int


def small_positions(seed: int, count: int) -> Iterator[Small]:
    """Random layouts of 2 to 20 tiles that hinder each other a lot, faces in pairs (seldom odd), some gone.

    The same for the same seed. Up to four levels; match groups reach 12 tiles and more.
    """
    random = Random(seed)
    for _ in range(count):
        layout = _layout(random)
        kinds = random.sample(FACES, random.randint(1, len(FACES)))
        half = [random.choice(kinds) for _ in range(layout.size // 2)]
        faces = half + half
        if random.random() < 0.03:
            faces[0] = random.choice(kinds)
        random.shuffle(faces)
        present = layout.full
        if random.random() < 0.3:
            gone = random.sample(range(layout.size), random.randint(0, layout.size // 2))
            present &= ~mask_of(gone)
        yield Small(layout, tuple(faces), present)


def _layout(random: Random) -> Layout:
    """Tiles at random places of a small box, each of which is wide or high."""
    width, depth, levels = random.randint(2, 9), random.randint(1, 4), random.randint(1, 4)
    corners = [(x, y, z) for z in range(levels) for y in range(depth) for x in range(width)]
    random.shuffle(corners)
    wanted = random.randint(1, 10) * 2
    places: list[Position] = []
    for x, y, z in corners:
        if all(p.z != z or abs(p.x - x) >= 2 or abs(p.y - y) >= 2 for p in places):
            places.append(Position(x, y, z))
        if len(places) == wanted:
            break
    if len(places) % 2:
        places.pop()
    return Layout.parse("random", places or [(0, 0, 0), (2, 0, 0)])


def disagreement(small: Small, matching: Matching, pairing: Pairing) -> str | None:
    """In which answer the kernel and the definition differ, or whether a certificate is wrong; else None."""
    board = (small.layout, small.faces, small.present, matching, pairing)
    ours, theirs = kernel.solve(*board), solver.solve(*board)
    if type(ours) is not type(theirs):
        return "solve"
    if isinstance(ours, solver.Solved) and not replay(*board[:3], ours.certificate, matching, pairing):
        return "certificate"
    if kernel.available_pairs(*board) != available_pairs(*board):
        return "available pairs"
    judged, expected = kernel.preserving_pairs(*board), solver.preserving_pairs(*board)
    if (judged.preserving, judged.ruining) != (expected.preserving, expected.ruining):
        return "preserving pairs"
    only, only_expected = kernel.crucial(*board), solver.crucial(*board)
    if type(only) is not type(only_expected):
        return "crucial"
    if isinstance(only, solver.Crucial) and only.pair != getattr(only_expected, "pair", None):
        return "crucial pair"
    if kernel.hint(*board) != solver.hint(*board):
        return "hint"
    return None
