"""What comes of an action on the learning board: the next position, and a note that explains.

Nothing is refused and nothing is counted: an action that is not asked for changes nothing, and the note says
why. The same action on the same position always has the same outcome.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from libs.rules.solitaire.board import Blocked, Covered, blockers, is_free, matches
from libs.rules.solitaire.moves import available_pairs
from libs.rules.solitaire.shuffle import Moved, shuffle_race
from libs.rules.tiles import Face
from services.match.domain.learning.script import (
    FACES,
    MATCHING,
    PAIRING,
    STEPS,
    Step,
    board,
    places_in_order,
)


class Note(StrEnum):
    """What came of an action."""

    FREE = "FREE"
    COVERED = "COVERED"
    CLOSED = "CLOSED"
    GONE = "GONE"
    SAME_TILE = "SAME_TILE"
    NOT_SAME = "NOT_SAME"
    PAIR = "PAIR"
    HINT = "HINT"
    SHUFFLED = "SHUFFLED"
    NO_PAIR = "NO_PAIR"
    NOT_BLOCKED = "NOT_BLOCKED"
    NOT_NOW = "NOT_NOW"
    DONE = "DONE"


@dataclass(frozen=True, slots=True)
class Position:
    """Where a learner stands. `version` counts what changed the board; `lit` is the pair of the last hint."""

    faces: tuple[Face, ...]
    present: int
    step: Step
    version: int = 0
    lit: tuple[int, int] | None = None

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The available pairs, (lower, higher), sorted."""
        return available_pairs(board(), self.faces, self.present, MATCHING, PAIRING)


@dataclass(frozen=True, slots=True)
class Touch:
    """Ask what a tile of the layout is."""

    tile: int


@dataclass(frozen=True, slots=True)
class Take:
    """Take two tiles of the layout."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class AskHint:
    """Ask for a pair."""


@dataclass(frozen=True, slots=True)
class AskShuffle:
    """Ask for other faces on the same places."""


Action = Touch | Take | AskHint | AskShuffle


@dataclass(frozen=True, slots=True)
class Outcome:
    """The position after an action, and what to say; `tile` is the one that the note is about."""

    position: Position
    note: Note
    tile: int | None = None
    pair: tuple[int, int] | None = None
    blocked: Blocked | None = field(default=None)


BEGINNING: Final = Position(FACES, board().full, STEPS[0])
_TAKING: Final = frozenset({Step.PAIR, Step.LIT_PAIR, Step.FLOWERS, Step.CLEAR})
_HINTING: Final = frozenset({Step.HINT, Step.LIT_PAIR, Step.CLEAR})


def play(position: Position, action: Action) -> Outcome:
    """What comes of an action; its tiles are tiles of the layout."""
    if position.step is Step.DONE:
        return Outcome(position, Note.DONE)
    match action:
        case Touch(tile):
            return _touch(position, tile)
        case Take(first, second):
            return _take(position, first, second)
        case AskHint():
            return _hint(position)
        case AskShuffle():
            return _shuffle(position)


def _touch(position: Position, tile: int) -> Outcome:
    looked = _look(position, tile)
    asked = Step.FREE if looked.note is Note.FREE else Step.BLOCKED
    if looked.note is Note.GONE or position.step is not asked:
        return looked
    return replace(looked, position=replace(position, step=_next(position.step)))


def _look(position: Position, tile: int) -> Outcome:
    """What a tile is."""
    if not position.present >> tile & 1:
        return Outcome(position, Note.GONE, tile)
    blocked = blockers(board(), position.present, tile)
    if blocked is None:
        return Outcome(position, Note.FREE, tile)
    note = Note.COVERED if isinstance(blocked, Covered) else Note.CLOSED
    return Outcome(position, note, tile, blocked=blocked)


def _take(position: Position, first: int, second: int) -> Outcome:
    if first == second:
        return Outcome(position, Note.SAME_TILE, first)
    for tile in (first, second):
        if not position.present >> tile & 1 or not is_free(board(), position.present, tile):
            return _look(position, tile)
    if not matches(MATCHING, position.faces[first], position.faces[second]):
        return Outcome(position, Note.NOT_SAME)
    if position.step not in _TAKING:
        return Outcome(position, Note.NOT_NOW)
    present = position.present & ~(1 << first | 1 << second)
    goes_on = position.step is Step.CLEAR and present
    step = position.step if goes_on else _next(position.step)
    after = Position(position.faces, present, step, position.version + 1)
    return Outcome(after, Note.PAIR, pair=(first, second))


def _hint(position: Position) -> Outcome:
    if not position.pairs:
        return Outcome(position, Note.NO_PAIR)
    if position.step not in _HINTING:
        return Outcome(position, Note.NOT_NOW)
    lit = position.pairs[0]
    step = _next(position.step) if position.step is Step.HINT else position.step
    return Outcome(replace(position, step=step, lit=lit), Note.HINT, pair=lit)


def _shuffle(position: Position) -> Outcome:
    if position.pairs:
        return Outcome(position, Note.NOT_BLOCKED)
    seed = hashlib.sha256(f"{position.present} {' '.join(position.faces)}".encode()).digest()
    there = shuffle_race(
        board(), position.faces, position.present, MATCHING, PAIRING, places_in_order(), seed
    )
    present = there.present if isinstance(there, Moved) else position.present
    after = Position(there.faces, present, Step.CLEAR, position.version + 1)
    return Outcome(after, Note.SHUFFLED)


def _next(step: Step) -> Step:
    return STEPS[STEPS.index(step) + 1]
