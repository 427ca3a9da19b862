"""Random tournaments: who comes and goes, how tables end, what operators do follows from a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from datetime import timedelta

from services.tournament.domain.tournament.commands import (
    CancelTournament,
    Command,
    EndEarly,
    Register,
    ReportTable,
    VoidResult,
    Withdraw,
)
from services.tournament.domain.tournament.state import (
    Break,
    Cancelled,
    Counting,
    Existing,
    Finished,
    NotScheduled,
    Playing,
    RoundRow,
    TableRow,
)
from services.tournament.domain.tournament.terms import Prize, Terms, Times
from services.tournament.domain.tournament.words import Ground, SeatResult
from tests.support.tournaments import ABSENT, CHAMPIONS, TERMS, TournamentPlay, account, after, scored


@dataclass
class RandomTournament:
    """One, from its schedule to its end and some corrections after it."""

    seed: int
    most: int = 40
    skew_s: float | None = None
    """How far the clocks of those who command and settle are off, to both sides; None: 0 or 5."""
    commands: list[Command] = field(default_factory=list)
    accepted: list[Command] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.players = self.chance.choice([2, 3, 5, 9, self.most, self.chance.randint(2, self.most)])
        self.absent = {p for p in range(self.players) if self.chance.random() < 0.15}
        self.rich = {account(p): self.chance.choice([0, 199, 200, 900]) for p in range(self.players)}
        self.play = TournamentPlay(self._terms(), weekly=lambda one: self.rich.get(one, 0))
        self.second = -90_000.0
        if self.skew_s is None:
            self.skew_s = self.chance.choice([0.0, 5.0])

    def run(self) -> None:
        """Play it to its end."""
        while self.second < -5:
            self._step(self.chance.choice([-self.second, 3_000.0]))
            self._before()
        while not isinstance(self._state, Finished | Cancelled):
            self._step(self.chance.choice([0.5, 3.0, 20.0]))
            self._during()
        for _ in range(self.chance.choice([0, 0, 3])):
            self._step(self.chance.choice([1.0, 90_000.0]))
            self._operate()

    def _terms(self) -> Terms:
        chance = self.chance
        base = CHAMPIONS if chance.random() < 0.2 else TERMS
        extra = [
            Prize(chance.choice([0, 10, 50]), chance.choice([0, 1])) for _ in range(chance.choice([0, 1, 5]))
        ]
        return replace(
            base,
            duration=timedelta(seconds=chance.choice([60, 900, 9_000])),
            maximum=max(base.minimum, chance.choice([6, self.most])),
            prizes=(base.prizes[0], *extra),
            rounds=tuple(chance.randint(1, 6) for _ in range(chance.randint(1, 6))),
            times=chance.choice([Times(), Times(timedelta(hours=1), timedelta(), timedelta(seconds=30))]),
        )

    @property
    def _state(self) -> Existing:
        assert not isinstance(self.play.state, NotScheduled)
        return self.play.state

    def _step(self, seconds: float) -> None:
        """Time passes; sometimes nobody settles what is due meanwhile."""
        self.second += self.chance.random() * seconds
        skew_s = self.skew_s or 0.0
        shown = self.second + self.chance.uniform(-skew_s, skew_s)
        self.play.now = after(shown)
        if self.chance.random() < 0.7:
            self.play.wait(shown)

    def _give(self, command: Command) -> None:
        decided = self.play.give(command)
        self.commands.append(command)
        if isinstance(decided, list):
            self.accepted.append(command)

    def _before(self) -> None:
        for _ in range(self.chance.choice([1, 1, self.players])):
            one = account(self.chance.randrange(self.players))
            self._give(
                Register(one, self.play.now) if self.chance.random() < 0.97 else Withdraw(one, self.play.now)
            )
        if self.chance.random() < 0.003:
            self._operate()

    def _during(self) -> None:
        luck = self.chance.random()
        if luck < 0.03:
            self._give(Withdraw(account(self.chance.randrange(self.players)), self.play.now))
        elif luck < 0.04:
            self._operate()
        elif isinstance(self._state, Playing | Counting) and luck < 0.9:
            played = self._state.field.rounds[-1]
            waiting = [row for row in played.tables if row.ended_at is None]
            for row in self.chance.sample(waiting, self.chance.randint(1, len(waiting))):
                self._report(row)
        elif isinstance(self._state, Playing | Counting | Break) and self._state.field.rounds:
            self._report(self.chance.choice(self.chance.choice(self._state.field.rounds).tables))

    def _report(self, row: TableRow) -> None:
        chance, plan = self.chance, self._state.field.plan
        end = (plan.ends_at - after(0)).total_seconds()
        is_cut = isinstance(self._state, Counting) and chance.random() < 0.8
        ended = min(self.second, end) if is_cut else min(self.second, end) - chance.random() * 2
        results = [self._result(player) for player in row.table.players]
        if not is_cut and chance.random() < 0.5:
            seat = chance.randrange(len(results))
            if results[seat].acted:
                results[seat] = replace(results[seat], cleared=True)
        self._give(ReportTable(row.table.match_id, tuple(results), is_cut, after(ended), self.play.now))

    def _result(self, player: int) -> SeatResult:
        entrant = self._state.field.entrants[player]
        if entrant.account_id.int - 0xA000 in self.absent and self.chance.random() < 0.8:
            return ABSENT
        return scored(100 * self.chance.choice([0, 0, 1, 1, 2, 5, self.chance.randrange(90)]))

    def _operate(self) -> None:
        chance, at = self.chance, self.play.now
        ground = chance.choice(list(Ground))
        kind = chance.choice(["void", "void", "void", "end", "cancel"])
        rounds: tuple[RoundRow, ...] = self._state.field.rounds
        if kind == "cancel" and chance.random() < 0.3:
            self._give(CancelTournament(ground, at))
        elif kind == "end":
            self._give(EndEarly(ground, at))
        elif rounds:
            played = chance.choice(rounds)
            table = chance.randrange(len(played.tables))
            seats = played.tables[table].table.players
            some = chance.choice([None, tuple(chance.sample(seats, chance.randint(1, len(seats))))])
            self._give(VoidResult(played.number, table, some, ground, at))
