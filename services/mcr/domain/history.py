"""A deal that has ended, told again step by step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from services.mcr.domain.deal.events import Event
from services.mcr.domain.deal.evolve import evolve, initial
from services.mcr.domain.deal.happenings import Happening, happening
from services.mcr.domain.deal.state import Dealt, NotDealt, State
from services.mcr.domain.deal.view import DealView, open_view, view_for


@dataclass(frozen=True, slots=True)
class Step:
    """What happened, and the deal after it."""

    happening: Happening
    after: Dealt
    viewer: int
    is_open: bool

    @property
    def view(self) -> DealView:
        """The deal after it, as it is told."""
        return open_view(self.after, self.viewer) if self.is_open else view_for(self.after, self.viewer)


def steps(events: Iterable[Event], viewer: int, *, is_open: bool) -> Iterator[Step]:
    """All that happened as a seat was told it then; `is_open`: everything that every seat did and held."""
    state: State = initial()
    for event in events:
        state = evolve(state, event)
        assert not isinstance(state, NotDealt), "a deal begins with its dealing"
        told = happening(event, getattr(event, "seat", viewer) if is_open else viewer)
        if told is not None:
            yield Step(told, state, viewer, is_open)
