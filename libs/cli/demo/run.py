"""One demo from the first player to the verdict."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass

from rich.live import Live

from libs.cli.demo.holdings import judge_holdings
from libs.cli.demo.journal import Journal
from libs.cli.demo.live import LiveView
from libs.cli.demo.matches import ArenaPlayer, QuickPlayer
from libs.cli.demo.player import BotPlayer, Pace, register
from libs.cli.demo.pools import PoolPlayer
from libs.cli.demo.races import QueueRacePlayer, RacePlayer, pair_up
from libs.cli.demo.report import Report
from libs.cli.demo.table_points import judge_tables
from libs.cli.demo.tables import QueueTablePlayer, TablePlayer
from libs.cli.demo.verdict import BoardVerdict, judge
from libs.cli.terminal import console
from libs.client.channel import require_answer
from libs.client.errors import ServerFaultError, SparrowError

SETTLE_S = 30.0
_JUDGE_EVERY_S = 0.1


@contextmanager
def ctrl_c(act: Callable[[], None]) -> Iterator[None]:
    """Let Ctrl-C act instead of ending the program, meanwhile."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, act)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


@dataclass(frozen=True)
class Plan:
    """What was asked for."""

    target: str
    players: int
    seconds: float
    seed: int
    pace: Pace
    live: bool
    quick: int = 0
    """How many of the players play quick matches against each other."""
    arena: int = 0
    """How many play arenas."""
    race: int = 0
    """How many race, in pairs."""
    queue_race: int = 0
    """How many race whom the queue gives them."""
    pool: int = 0
    """How many play for pots."""
    table: int = 0
    """How many sit down at MCR tables against the AI."""
    queue_table: int = 0
    """How many sit down at MCR tables with whom the lobby gives them; the rest play levels."""

    def kind_of(self, number: int) -> type[BotPlayer]:
        """What a player plays, by its number."""
        kinds: tuple[tuple[type[BotPlayer], int], ...] = (
            (QuickPlayer, self.quick),
            (ArenaPlayer, self.arena),
            (RacePlayer, self.race),
            (QueueRacePlayer, self.queue_race),
            (PoolPlayer, self.pool),
            (TablePlayer, self.table),
            (QueueTablePlayer, self.queue_table),
        )
        for kind, count in kinds:
            if number < count:
                return kind
            number -= count
        return BotPlayer


class Demo:
    """Players, bots, and the boards judged at the end."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.journal = Journal(time.monotonic)
        """What has been acknowledged so far."""
        self.stop = asyncio.Event()
        """Set it to end the playing before its time."""
        self._lost: list[str] = []

    async def run(self) -> Report:
        """Register, play, judge."""
        bots = await self._register()
        pair_up([bot for bot in bots if isinstance(bot, RacePlayer)])
        began = time.monotonic()
        ends = began + self._plan.seconds
        view = LiveView(self.journal, bots, lambda: ends - time.monotonic())
        live = Live(view, console=console(), refresh_per_second=8) if self._plan.live else nullcontext()
        try:
            with live:
                await self._play(bots)
            played_s = time.monotonic() - began
            caught_up_ms, verdicts, holdings = await self._judge(bots)
            shown = [entry.player for verdict in verdicts for entry in verdict.top.entries]
            names = await bots[0].client.profiles(sorted(set(shown)))
        finally:
            for bot in bots:
                await bot.client.close()
        return Report(
            endpoint=self._plan.target,
            seed=self._plan.seed,
            played_s=played_s,
            players={bot.player: bot.client.profile for bot in bots},
            journal=self.journal,
            verdicts=verdicts,
            names=names,
            caught_up_ms=caught_up_ms,
            holdings=holdings,
            lost=self._lost,
        )

    async def _register(self) -> list[BotPlayer]:
        """Make the players, a few at a time. Where nothing listens at all, that is said at once."""
        plan = self._plan
        await require_answer(plan.target)
        few = asyncio.Semaphore(8)

        async def one(number: int) -> BotPlayer:
            async with few:
                return await register(
                    plan.kind_of(number), plan.target, number, self.journal, plan.pace, plan.seed, self.stop
                )

        return await asyncio.gather(*(one(number) for number in range(plan.players)))

    async def _play(self, bots: Sequence[BotPlayer]) -> None:
        """Let them play for the time, or until Ctrl-C; a bot whose last command stays in doubt is noted."""
        playing = [asyncio.create_task(bot.play()) for bot in bots]
        with suppress(TimeoutError), ctrl_c(self.stop.set):
            await asyncio.wait_for(self.stop.wait(), self._plan.seconds)
        self.stop.set()
        for bot, ended in zip(bots, await asyncio.gather(*playing, return_exceptions=True), strict=True):
            if isinstance(ended, SparrowError):
                self._lost.append(f"{bot.name} never learned how its last command ended: {ended}")
            elif isinstance(ended, BaseException):
                raise ended

    async def _judge(
        self, bots: Sequence[BotPlayer]
    ) -> tuple[float | None, tuple[BoardVerdict, ...], tuple[str, ...]]:
        """Compare until boards, ratings and chips have caught up, or for so long that they never will."""
        results = self.journal.acknowledged
        players = [bot.player for bot in bots]
        at_tables = {bot.player: bot.client for bot in bots if isinstance(bot, TablePlayer)}
        began = time.monotonic()
        while True:
            try:
                verdicts = await judge(bots[0].client, results, players)
                holdings = await judge_holdings(bots, self.journal)
                holdings += await judge_tables(at_tables, self.journal.tables)
            except ServerFaultError:
                if time.monotonic() - began > SETTLE_S:
                    raise
                await asyncio.sleep(_JUDGE_EVERY_S)
                continue
            elapsed_s = time.monotonic() - began
            if not holdings and not any(verdict.differences for verdict in verdicts):
                return elapsed_s * 1000, verdicts, holdings
            if elapsed_s > SETTLE_S:
                return None, verdicts, holdings
            await asyncio.sleep(_JUDGE_EVERY_S)
