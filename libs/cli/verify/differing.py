"""What is found wrong while the events of a stream pass by, each difference with the event that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from libs.cli.verify.recompute import Finding

Numbered = Sequence[tuple[int, Any]]
"""A stream's events with their versions, in order."""


class Differing:
    """Collects differences; whoever folds goes on as claimed."""

    def __init__(self) -> None:
        """Nothing is wrong yet."""
        self.wrong: list[str] = []
        self._where = ""

    def at(self, version: int, event: Any) -> None:
        """What follows is about the event at a version of the stream."""
        self._where = f"event {version}, {type(event).__name__}"

    def expect(self, holds: bool, otherwise: str) -> None:
        """Note what is wrong unless it holds."""
        if not holds:
            self.wrong.append(f"{self._where}: {otherwise}")


def in_order(what: str, events: Numbered) -> Finding:
    """Whether versions are gapless and no event happened before the one ahead of it."""
    wrong = []
    if [version for version, _event in events] != list(range(1, len(events) + 1)):
        wrong.append("versions are missing or come twice")
    instants = [event.occurred_at for _version, event in events]
    if instants != sorted(instants):
        wrong.append("an event happened before the one ahead of it")
    return Finding("events", f"{len(events)} of the {what}", tuple(wrong))
