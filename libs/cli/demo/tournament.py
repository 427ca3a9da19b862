"""A tournament of bots, from the first player to the verdict."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from uuid import uuid4

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from libs.cli.demo.journal import Journal, quantile
from libs.cli.demo.player import Pace, register
from libs.cli.demo.run import ctrl_c
from libs.cli.demo.tournament_player import TournamentPlayer
from libs.cli.demo.tournament_verdict import TournamentVerdict, judge_tournament
from libs.cli.terminal import console
from libs.cli.tournaments.picture import LiveTournament
from libs.client.channel import require_answer
from libs.client.errors import RefusedError, ServerFaultError, SparrowError
from libs.client.session import utc_now
from libs.client.tournament_operations import TournamentOperator
from libs.client.tournament_views import (
    OperatorGround,
    Tournament,
    TournamentPrize,
    TournamentTerms,
    TournamentTimes,
)

PRIZES: Final = (
    TournamentPrize(100, 2, "demo"),
    TournamentPrize(60, 1),
    TournamentPrize(40),
    TournamentPrize(20),
    TournamentPrize(10),
)
LINES_SHOWN: Final = 16
SETTLE_S: Final = 30.0
END_S: Final = 60.0
"""How much later than its end a tournament may be told to be over."""
_LOOK_S: Final = 0.25
_AT_ONCE: Final = 8


@dataclass(frozen=True)
class TournamentPlan:
    """What was asked for; instants are seconds."""

    target: str
    players: int
    seed: int
    pace: Pace
    live: bool
    multipliers: tuple[int, ...] = (1, 1, 2)
    round_limit_s: float = 30.0
    pause_s: float = 3.0
    absent: int = 0
    """How many register and stay away."""

    @property
    def terms(self) -> TournamentTerms:
        """What is laid down for it: its end comes when every round has lasted as long as it may."""
        longest_s = len(self.multipliers) * (self.round_limit_s + self.pause_s + 15)
        return TournamentTerms(
            title=f"Demo of {self.players}",
            duration=timedelta(seconds=longest_s),
            minimum=2,
            maximum=self.players,
            prizes=PRIZES[: self.players],
            multipliers=self.multipliers,
            times=TournamentTimes(
                pause=timedelta(seconds=self.pause_s), round_limit=timedelta(seconds=self.round_limit_s)
            ),
        )

    @property
    def entry_s(self) -> float:
        """How long the bots have to enter."""
        return 3 + self.players / 5


@dataclass(frozen=True)
class TournamentReport:
    """What was played, and what differs."""

    plan: TournamentPlan
    verdict: TournamentVerdict
    names: dict[str, str]
    journal: Journal
    played_s: float
    judged_s: float
    """Until nothing differed any more, or until that was given up; the judging itself included."""
    lost: tuple[str, ...]
    """Bots that never saw the end."""

    @property
    def is_right(self) -> bool:
        """Whether it is over, everything is as recomputed, and every bot saw the end."""
        return self.verdict.is_right and not self.lost


@dataclass
class TournamentDemo:
    """Bots, a tournament that an operator makes for them, and everything worked out anew at its end."""

    plan: TournamentPlan
    token: Callable[[], str]
    """Mints an operator's token."""
    journal: Journal = field(default_factory=lambda: Journal(time.monotonic))
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    """Set it to have the operator end the tournament early."""
    name: str = ""
    """The tournament, once there is one."""
    _lost: list[str] = field(default_factory=list)
    _jokers: dict[str, int] = field(default_factory=dict)

    async def run(self) -> TournamentReport:
        """Make players, let them play the tournament, judge."""
        await require_answer(self.plan.target)
        bots = await self._bots()
        began = time.monotonic()
        try:
            page = await self._create()
            self.name = page.name
            view = _View(self.journal, {bot.player: bot.name for bot in bots})
            live = Live(view, console=console(), refresh_per_second=4) if self.plan.live else nullcontext()
            with live, ctrl_c(self.stop.set):
                await self._play(bots, page, view)
            played_s = time.monotonic() - began
            return await self._judge(bots, played_s)
        finally:
            for bot in bots:
                await bot.client.close()

    def _site(self) -> tuple[str, str]:
        """Where the operator acts, and with what token."""
        return self.plan.target, self.token()

    async def _bots(self) -> list[TournamentPlayer]:
        few, plan = asyncio.Semaphore(_AT_ONCE), self.plan

        async def one(number: int) -> TournamentPlayer:
            async with few:
                bot = await register(
                    TournamentPlayer, plan.target, number, self.journal, plan.pace, plan.seed, self.stop
                )
                assert isinstance(bot, TournamentPlayer)
                bot.stays_away = number >= plan.players - plan.absent
                return bot

        return await asyncio.gather(*(one(number) for number in range(plan.players)))

    async def _create(self) -> Tournament:
        async with TournamentOperator(*self._site()) as operator:
            starts_at = utc_now() + timedelta(seconds=self.plan.entry_s)
            return await operator.create(self.plan.terms, starts_at, str(uuid4()))

    async def _play(self, bots: Sequence[TournamentPlayer], page: Tournament, view: _View) -> None:
        few = asyncio.Semaphore(_AT_ONCE)

        async def one(bot: TournamentPlayer) -> None:
            bot.tournament = page.name
            async with few:
                await bot.enter()
                self._jokers[bot.player] = (await bot.client.wallet.balances()).jokers
            await bot.play()

        showing = asyncio.create_task(view.follow(bots[0], page.name))
        stopping = asyncio.create_task(self._end_early())
        longest_s = (page.end_time - utc_now()).total_seconds() + END_S
        playing = [asyncio.create_task(one(bot)) for bot in bots]
        _ended, late = await asyncio.wait(playing, timeout=longest_s)
        for task in (*late, showing, stopping):
            task.cancel()
        await asyncio.gather(showing, stopping, return_exceptions=True)
        for bot, ended in zip(bots, await asyncio.gather(*playing, return_exceptions=True), strict=True):
            if isinstance(ended, SparrowError | asyncio.CancelledError):
                self._lost.append(f"{bot.name} never saw the end: {ended!r}")
            elif isinstance(ended, BaseException):
                raise ended

    async def _end_early(self) -> None:
        """Once told to stop, end the tournament: what is played counts as it stands.

        One that has not begun is cancelled.
        """
        await self.stop.wait()
        async with TournamentOperator(*self._site()) as operator:
            try:
                await operator.end_early(self.name, OperatorGround.OTHER, str(uuid4()))
            except RefusedError as error:
                if error.reason != "TOURNAMENT_NOT_RUNNING":
                    raise
                await operator.cancel(self.name, OperatorGround.OTHER, str(uuid4()))

    async def _judge(self, bots: Sequence[TournamentPlayer], played_s: float) -> TournamentReport:
        """Compare until the ledger has caught up, or for so long that it never will."""
        began = time.monotonic()
        while True:
            gives_up = time.monotonic() - began > SETTLE_S
            try:
                verdict = await judge_tournament(self._site, bots, self.name, self.journal, self._jokers)
            except ServerFaultError:
                if gives_up:
                    raise
            else:
                if verdict.is_right or gives_up:
                    names, judged_s = {bot.player: bot.name for bot in bots}, time.monotonic() - began
                    lost = tuple(self._lost)
                    return TournamentReport(self.plan, verdict, names, self.journal, played_s, judged_s, lost)
            await asyncio.sleep(_LOOK_S)


class _View:
    """The tournament as the first bot sees it, and how fast the server answers."""

    def __init__(self, journal: Journal, names: dict[str, str]) -> None:
        self._journal = journal
        self._shown = LiveTournament(utc_now)
        self._shown.names = names

    async def follow(self, bot: TournamentPlayer, name: str) -> None:
        """Keep what is told."""
        with suppress(SparrowError):
            async for seen in bot.client.tournaments.watch(name, LINES_SHOWN):
                self._shown.seen = seen

    def __rich__(self) -> RenderableType:
        """Return it as it is now."""
        recent = self._journal.last_seconds()
        said = f"{len(recent) / 3:.0f} commands/s  p50 {quantile(recent, 0.5):.0f} ms  "
        return Group(self._shown, Text(f"{said}p99 {quantile(recent, 0.99):.0f} ms", style="cyan"))
