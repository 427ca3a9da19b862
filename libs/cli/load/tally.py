"""What a load counted: accepted moves, how long they took, and why others were not accepted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from libs.cli.demo.journal import quantile


@dataclass
class Tally:
    """A move is one acknowledged command that appended an event: a touch, a start, a restart, a leave."""

    latencies_ms: list[float] = field(default_factory=list)
    moves: Counter[str] = field(default_factory=Counter)
    """Accepted, by kind."""
    errors: Counter[str] = field(default_factory=Counter)
    """Not accepted, or not answered, by reason."""
    after_end: int = 0
    """Moves that were on their way when the opponent ended the match: no errors, and not accepted."""
    seconds: float = 0.0
    """How long was counted."""
    games: int = 0
    """Boards that were begun."""
    parts: dict[str, Tally] = field(default_factory=dict)
    """What was counted of each mode, where several were played."""

    def accept(self, kind: str, latency_ms: float) -> None:
        """Count a move."""
        self.moves[kind] += 1
        self.latencies_ms.append(latency_ms)

    @property
    def accepted(self) -> int:
        """How many moves were accepted."""
        return len(self.latencies_ms)

    @property
    def accepted_per_s(self) -> float:
        """Accepted moves a second."""
        return self.accepted / self.seconds if self.seconds else 0.0

    def latency_ms(self, share: float) -> float:
        """The latency that this share of the moves does not exceed; 0 without moves."""
        return quantile(self.latencies_ms, share)


def together(tallies: Iterable[Tally]) -> Tally:
    """What several processes counted in the same seconds."""
    whole = Tally()
    parts: dict[str, list[Tally]] = {}
    for tally in tallies:
        for mode, part in tally.parts.items():
            parts.setdefault(mode, []).append(part)
        whole.latencies_ms += tally.latencies_ms
        whole.moves += tally.moves
        whole.errors += tally.errors
        whole.after_end += tally.after_end
        whole.games += tally.games
        whole.seconds = max(whole.seconds, tally.seconds)
    whole.parts = {mode: together(part) for mode, part in parts.items()}
    return whole


def document(tally: Tally) -> dict[str, Any]:
    """The tally for `--json`."""
    modes = {mode: document(part) for mode, part in tally.parts.items()}
    return {
        "seconds": round(tally.seconds, 3),
        "games": tally.games,
        "moves": {
            "accepted": tally.accepted,
            "accepted_per_s": round(tally.accepted_per_s, 1),
            "by_kind": dict(sorted(tally.moves.items())),
        },
        "latency_ms": {
            name: round(tally.latency_ms(share), 2)
            for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0))
        },
        "after_end": tally.after_end,
        "errors": dict(sorted(tally.errors.items())),
        **({"modes": modes} if modes else {}),
    }
