"""Small boards and a given/when/then for attempts at a level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from libs.rules.solitaire.layouts import Layout
from libs.rules.tiles import Face
from services.match.commands import Command, Deal, Leave, PutBack, RestartLevel, StartLevel, Touch
from services.match.domain.decide import Decision, decide
from services.match.domain.evolve import evolve, initial
from services.match.domain.points import Standing
from services.match.domain.refusal import Refusal
from services.match.domain.state import Begun, NotStarted, State
from services.match.events import AttemptStarted, Event

START = datetime(2026, 3, 28, 12, 0, 0, tzinfo=UTC)
ANA, BEN = UUID(int=0xA), UUID(int=0xB)
NEXT = UUID(int=0xC)
LEVEL = 7

ROW = Layout.parse("row", [(0, 0, 0), (2, 0, 0), (4, 0, 0), (6, 0, 0)])
"""Four tiles side by side: only the outer two are free."""
STACKS = Layout.parse("stacks", [(0, 0, 0), (0, 0, 1), (8, 0, 0), (8, 0, 1)])
"""Two stacks of two: 1 lies on 0, and 3 on 2."""


def after(ms: int) -> datetime:
    """The instant so many milliseconds after the start."""
    return START + timedelta(milliseconds=ms)


def deal(layout: Layout, faces: str) -> Deal:
    """A deal on the layout with these faces, separated by blanks."""
    return Deal(LEVEL, 1, False, layout, layout.name.title(), tuple(Face(face) for face in faces.split()))


def started(layout: Layout, faces: str) -> AttemptStarted:
    """Ana's attempt has started."""
    return AttemptStarted(ANA, deal(layout, faces), START)


def start(layout: Layout, faces: str, ms: int = 0) -> StartLevel:
    """Ana starts."""
    return StartLevel(ANA, deal(layout, faces), after(ms))


def touch(tile: int, version: int, ms: int = 1_000, account: UUID = ANA) -> Touch:
    """A touch on the board of that version."""
    return Touch(account, tile, version, after(ms))


def put_back(version: int, ms: int = 1_000, account: UUID = ANA) -> PutBack:
    """Put back on the board of that version."""
    return PutBack(account, version, after(ms))


def leave(ms: int = 1_000, account: UUID = ANA) -> Leave:
    """Leave."""
    return Leave(account, after(ms))


def restart(ms: int = 1_000, account: UUID = ANA) -> RestartLevel:
    """Restart."""
    return RestartLevel(account, NEXT, after(ms))


def folded(events: Sequence[Event]) -> State:
    """The state after events from the beginning."""
    state = initial()
    for event in events:
        state = evolve(state, event)
    return state


def begun(events: Sequence[Event]) -> Begun:
    """The state after events that hold a start."""
    state = folded(events)
    assert not isinstance(state, NotStarted)
    return state


@dataclass(frozen=True)
class Outcome:
    """What a command came to, to be compared."""

    decision: Decision

    def then(self, *events: Event) -> None:
        """It brought about exactly these facts."""
        assert list(events) == self.decision

    def refuses(self, refusal: Refusal) -> None:
        """It was refused for this reason."""
        assert refusal is self.decision


@dataclass(frozen=True)
class Given:
    """A past."""

    events: tuple[Event, ...]

    def when(self, command: Command, standing: Standing | None = None) -> Outcome:
        """Judge a command on it."""
        return Outcome(decide(command, folded(self.events), standing))


def given(*events: Event) -> Given:
    """Start from these facts."""
    return Given(events)
