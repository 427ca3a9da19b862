"""Arena matches without servers: four seats, round after round, and the facts of the match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.rules.solitaire.layouts import Layout
from services.match.domain.rivals.events import RoundDealt
from services.match.domain.rivals.match_events import ArenaEnded, MatchEvent
from services.match.domain.rivals.sequence import (
    first_stage,
    goes_on,
    match_end,
    next_stage,
    round_fact,
)
from services.match.domain.rivals.stage import ARENA
from services.match.domain.rivals.state import Over
from tests.support.attempts import ANA, BEN
from tests.support.rounds import MATCH, Table, apart, at, dealt, fold, round_deal

CAT, DAN = UUID(int=0xC), UUID(int=0xD)
SEATS: Final = (ANA, BEN, CAT, DAN)
SEVEN_PAIRS: Final = "1m 1m 2m 2m 3m 3m 4m 4m 5m 5m 6m 6m 7m 7m"


@dataclass
class Arena:
    """A match that is played; instants are milliseconds after its first signal."""

    table: Table
    played: list[Table] = field(default_factory=list)
    """The rounds that are over."""
    facts: list[MatchEvent] = field(default_factory=list)
    layout: Layout = field(default_factory=lambda: apart(14))
    faces: str = SEVEN_PAIRS

    @classmethod
    def laid(cls, layout: Layout | None = None, faces: str = SEVEN_PAIRS) -> Arena:
        """A match whose first countdown runs."""
        board = layout or apart(14)
        first = dealt(board, faces, SEATS, first_stage(ARENA))
        return cls(Table([first], fold([first])), layout=board, faces=faces)

    @classmethod
    def begun(cls, layout: Layout | None = None, faces: str = SEVEN_PAIRS) -> Arena:
        """A match whose first signal was just given."""
        arena = cls.laid(layout, faces)
        arena.table.until(0)
        return arena

    @property
    def ended(self) -> ArenaEnded | None:
        """The end of the match."""
        return next((fact for fact in self.facts if isinstance(fact, ArenaEnded)), None)

    def end_round(self, late_ms: int = 0) -> None:
        """Do what the end of a round stands for: deal the next one, or end the match."""
        over = self.table.state
        assert isinstance(over, Over), "the round is over"
        round_id = UUID(int=100 + over.round.stage.number)
        now = over.ended.occurred_at + (at(late_ms) - at(0))
        self.played.append(self.table)
        if not goes_on(over):
            self.facts += [round_fact(over, round_id, None), match_end(over)]
            return
        self.facts.append(round_fact(over, round_id, UUID(int=round_id.int + 1)))
        stage = next_stage(over, now)
        first = RoundDealt(MATCH, SEATS, round_deal(self.layout, self.faces), now, stage)
        self.table = Table([first], fold([first]))

    def play_round(self, pairs: Sequence[int], begin_ms: int) -> int:
        """Play a round that begins then: each seat takes so many pairs, a second each, worth 100 each.

        Return when it ended: 20 s after the last pair.
        """
        self.table.until(begin_ms)
        for count in range(1, max(pairs) + 1):
            for seat, wanted in enumerate(pairs):
                if count <= wanted:
                    self.table.pair(seat, 2 * count - 2, 2 * count - 1, begin_ms + 1_000 * count)
        end_ms = begin_ms + 1_000 * max(pairs) + 20_000
        self.table.until(end_ms)
        self.end_round()
        return end_ms


def ms_of(instant: datetime) -> int:
    """The milliseconds after the first signal."""
    return round((instant - at(0)).total_seconds() * 1_000)
