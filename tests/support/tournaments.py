"""A given/when/then for tournaments; instants are seconds after the start."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar
from uuid import UUID

from services.tournament.domain.tournament.commands import (
    CancelTournament,
    Command,
    EndEarly,
    Register,
    ReportTable,
    ScheduleTournament,
    VoidResult,
    Withdraw,
)
from services.tournament.domain.tournament.decide import Decision, Unsettled, decide
from services.tournament.domain.tournament.entering import NeedsPrizePoints, PrizePoints
from services.tournament.domain.tournament.events import Event, PrizesAwarded, PrizesRevoked
from services.tournament.domain.tournament.evolve import evolve, initial
from services.tournament.domain.tournament.settle import settle
from services.tournament.domain.tournament.standing import standing_of
from services.tournament.domain.tournament.state import NotScheduled, Playing, RoundRow, State
from services.tournament.domain.tournament.terms import (
    CHAMPIONS_CUP,
    CHAMPIONS_MINIMUM,
    CHAMPIONS_POINTS,
    Kind,
    Prize,
    Terms,
    WeeklyPrizePoints,
)
from services.tournament.domain.tournament.words import Award, Ground, Plan, Player, SeatResult

S = TypeVar("S")
START = datetime(2026, 11, 30, 18, 0, 0, tzinfo=UTC)
"""A Monday, 20:00 in Romania."""
TOURNAMENT_ID = UUID(int=0x70)
SEED = bytes(range(32))
TERMS = Terms(
    name="Monday Rivals",
    duration=timedelta(hours=1),
    minimum=2,
    maximum=64,
    prizes=(Prize(100, 2, "monday"), Prize(50, 1), Prize(20)),
    rounds=(1, 2, 3),
)
CHAMPIONS = replace(
    TERMS,
    name="Champions",
    minimum=CHAMPIONS_MINIMUM,
    prizes=(Prize(500, 10, CHAMPIONS_CUP), Prize(250), Prize(100)),
    entry=WeeklyPrizePoints(CHAMPIONS_POINTS),
    kind=Kind.CHAMPIONS,
)
ABSENT = SeatResult(0, cleared=False, acted=False)


def after(seconds: float) -> datetime:
    """The instant so many seconds after the start."""
    return START + timedelta(seconds=seconds)


def account(number: int) -> UUID:
    """The account that registers as the given number."""
    return UUID(int=0xA000 + number)


def scored(score: int, *, cleared: bool = False) -> SeatResult:
    """A seat that played."""
    return SeatResult(score, cleared, acted=True)


@dataclass
class TournamentPlay:
    """A tournament under way."""

    terms: Terms = TERMS
    weekly: Callable[[UUID], int] = lambda _: 0
    """What the ledger says of a player's week."""
    state: State = field(default_factory=initial)
    events: list[Event] = field(default_factory=list)
    now: datetime = field(default=START - timedelta(hours=30))

    def __post_init__(self) -> None:
        self.give(ScheduleTournament(Plan(TOURNAMENT_ID, self.terms, START), self.now))

    def wait(self, seconds: float) -> list[Event]:
        """Let it be so many seconds after the start; return what was due."""
        self.now = after(seconds)
        return self._add(settle(self.state, self.now, SEED))

    def give(self, command: Command) -> Decision:
        """Carry an order out at its instant, with what is due by then and the ledger's answer."""
        decided = decide(command, self.state)
        if isinstance(decided, Unsettled):
            self._add(settle(self.state, command.at, SEED))
            decided = decide(command, self.state)
        if isinstance(decided, NeedsPrizePoints):
            answer = PrizePoints(decided.account_id, decided.week, self.weekly(decided.account_id))
            decided = decide(command, self.state, answer)
        if isinstance(decided, list):
            self._add(decided)
        return decided

    def register(self, *numbers: int) -> Decision:
        """Players enter now; the decision on the last one."""
        decided: Decision = []
        for number in numbers:
            decided = self.give(Register(account(number), self.now))
        return decided

    def withdraw(self, number: int) -> Decision:
        """A player leaves now."""
        return self.give(Withdraw(account(number), self.now))

    def started(self, players: int) -> TournamentPlay:
        """It, with so many players and its first round seated."""
        self.wait(-3_600)
        self.register(*range(1, players + 1))
        self.wait(0)
        return self

    def report(
        self, table: int, results: Sequence[SeatResult], *, ended: float | None = None, cut: bool = False
    ) -> Decision:
        """A table of the latest round is over, now or so many seconds after the start."""
        ended_at = self.now if ended is None else after(ended)
        match_id = self.round.tables[table].table.match_id
        return self.give(ReportTable(match_id, tuple(results), cut, ended_at, self.now))

    def report_all(self, results: Mapping[Player, SeatResult], *, cut: bool = False) -> None:
        """All tables of the latest round are over now, with a result for each player; else nobody acted."""
        for table, row in enumerate(self.round.tables):
            self.report(table, [results.get(player, ABSENT) for player in row.table.players], cut=cut)

    def cancel(self) -> Decision:
        """An operator cancels it now."""
        return self.give(CancelTournament(Ground.FAIR_PLAY, self.now))

    def end_early(self) -> Decision:
        """An operator ends it now."""
        return self.give(EndEarly(Ground.FAIR_PLAY, self.now))

    def void(self, round_number: int, table: int, players: tuple[Player, ...] | None = None) -> Decision:
        """An operator voids results now."""
        return self.give(VoidResult(round_number, table, players, Ground.FAIR_PLAY, self.now))

    def shaped(self, shape: type[S]) -> S:
        """The state, which has this shape."""
        assert isinstance(self.state, shape), type(self.state).__name__
        return self.state

    @property
    def round(self) -> RoundRow:
        """The latest round."""
        assert not isinstance(self.state, NotScheduled)
        return self.state.field.rounds[-1]

    @property
    def seats(self) -> list[tuple[Player, ...]]:
        """Who sits together in the round that is played."""
        return [row.table.players for row in self.shaped(Playing).field.rounds[-1].tables]

    @property
    def points(self) -> dict[Player, int]:
        """TP in the order of the standing."""
        assert not isinstance(self.state, NotScheduled)
        return {line.player: line.points for line in standing_of(self.state.field)}

    @property
    def paid(self) -> dict[Player, list[Prize]]:
        """What the events say is to be paid in the end, by player."""
        held: dict[int, Award] = {}
        for event in self.events:
            if isinstance(event, PrizesAwarded):
                held |= {award.number: award for award in event.awards}
            if isinstance(event, PrizesRevoked):
                for award in event.awards:
                    del held[award.number]
        paid: dict[Player, list[Prize]] = {}
        for award in held.values():
            paid.setdefault(award.player, []).append(award.goods)
        return paid

    def _add(self, events: list[Event]) -> list[Event]:
        self.events += events
        for event in events:
            self.state = evolve(self.state, event)
        return events


def kinds(events: Decision) -> list[str]:
    """The names of facts, in their order."""
    assert isinstance(events, list)
    return [type(event).__name__ for event in events]
