"""How many moves a whole Sparrow takes: `sparrow bench moves [--json] [--mode M] [--soak-minutes N]`.

PostgreSQL, NATS, the serving and the working process and the bots that play share this machine. A move is one
acknowledged command that appended an event. Prints one line of JSON per figure, with how busy the machine was
before, because others on it take what is measured here.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from statistics import median

import psutil
import uvloop

from libs.cli.demo.journal import quantile
from libs.cli.load.drive import LoadPlan, drive
from libs.cli.load.player import LoadMode
from libs.cli.load.tally import Tally
from tests.bench.figures import print_figure
from tests.support.installation import Installation

FULL_SPEED_PLAYERS = 24
STEADY_RATE, STEADY_PLAYERS, STEADY_WINDOWS = 300, 60, 3
SOAK_RATE, SOAK_LOOK_EVERY_S, SOAK_WARM_UP_S = 150, 5.0, 150.0
"""The warm-up goes as fast as it can, so that every bounded cache is full before growth is looked for."""
BOARDS, BOARDS_RATE = 1_000, 100
WARM_UP_S = 5.0
PARTS = ("serving", "worker", "postgres", "nats")
MIB = 1024 * 1024


def family(pid: int) -> list[psutil.Process]:
    """A process and all that it started."""
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def cpu_s(pid: int) -> float:
    """The CPU time that a process and what it started have used, in seconds."""
    used = 0.0
    for process in family(pid):
        times = process.cpu_times()
        used += times.user + times.system
    return used


def rss_mib(children: Mapping[str, int]) -> float:
    """The memory of these processes and what they started, in MiB."""
    processes = [process for pid in children.values() for process in family(pid)]
    return sum(process.memory_info().rss for process in processes) / MIB


def plan(endpoint: str, mode: LoadMode, players: int, seconds: float, rate: float | None = None) -> LoadPlan:
    """A load with the same choices in every run."""
    return LoadPlan(endpoint, players, mode, seconds, rate, seed=1)


def play(load: LoadPlan, watch: Callable[[Tally], None] | None = None) -> Tally:
    """Drive the load in this process; every error is told, because a load that fails measures nothing."""
    tally = uvloop.run(drive(load, watch=watch))
    for reason, count in tally.errors.items():
        print_figure(f"moves.errors.{reason}", count, "1")
    return tally


def measure_full_speed(server: Installation, mode: LoadMode, seconds: float) -> None:
    """As fast as it goes, and where the CPU went for each move."""
    children = server.children()
    before = {part: cpu_s(children[part]) for part in PARTS}
    own = sum(os.times()[:2])
    tally = play(plan(server.endpoint, mode, FULL_SPEED_PLAYERS, seconds))
    used = {part: cpu_s(children[part]) - before[part] for part in PARTS}
    used["load"] = sum(os.times()[:2]) - own
    print_figure("moves.accepted_per_s", tally.accepted_per_s, "1/s")
    for part, seconds_used in used.items():
        print_figure(f"moves.cpu.{part}_ms", seconds_used * 1000 / max(1, tally.accepted), "ms")


def measure_steady(server: Installation, mode: LoadMode, seconds: float) -> None:
    """Latency at a steady pace, counted from when each move was due: medians of several windows."""
    ends = [0]
    """How many moves were accepted when each window ended."""

    def mark(tally: Tally) -> None:
        if tally.seconds >= len(ends) * seconds and len(ends) <= STEADY_WINDOWS:
            ends.append(tally.accepted)

    # A little longer than the windows, so that the last one is looked at.
    load = plan(server.endpoint, mode, STEADY_PLAYERS, STEADY_WINDOWS * seconds + 1, STEADY_RATE)
    latencies_ms = play(load, mark).latencies_ms
    windows = [latencies_ms[begin:end] for begin, end in pairwise(ends)]
    prefix = f"moves.at_{STEADY_RATE}"
    print_figure(f"{prefix}.accepted_per_s", median(len(window) / seconds for window in windows), "1/s")
    for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0)):
        print_figure(f"{prefix}.{name}_ms", median(quantile(window, share) for window in windows), "ms")


def measure_growth(server: Installation, mode: LoadMode, minutes: float) -> None:
    """Memory of each process at a steady pace: the median of the first and of the last tenth, in MiB."""
    play(plan(server.endpoint, mode, FULL_SPEED_PLAYERS, SOAK_WARM_UP_S))
    children = server.children()
    looks: dict[str, list[float]] = {"serving": [], "worker": []}

    def look(tally: Tally) -> None:
        if tally.seconds >= len(looks["serving"]) * SOAK_LOOK_EVERY_S:
            for part, seen in looks.items():
                seen.append(rss_mib({part: children[part]}))

    play(plan(server.endpoint, mode, STEADY_PLAYERS, minutes * 60, SOAK_RATE), look)
    print_figure("moves.soak.minutes", minutes, "min")
    for part, seen in looks.items():
        tenth = max(1, len(seen) // 10)
        print_figure(f"moves.soak.{part}_first_mib", median(seen[:tenth]), "MiB")
        print_figure(f"moves.soak.{part}_last_mib", median(seen[-tenth:]), "MiB")


async def memory_with_boards(server: Installation, mode: LoadMode, seconds: float) -> float:
    """The most memory while a thousand players are in the middle of their boards."""
    most, children = 0.0, {part: server.children()[part] for part in ("serving", "worker")}

    def look(_tally: Tally) -> None:
        nonlocal most
        most = max(most, rss_mib(children))

    await drive(plan(server.endpoint, mode, BOARDS, seconds, BOARDS_RATE), watch=look)
    return most


def main() -> None:
    """Measure on an installation of its own, with the settings of every other."""
    parser = argparse.ArgumentParser(prog="sparrow bench moves", description=__doc__)
    parser.add_argument("--seconds", type=float, default=15.0, help="how long each load is counted")
    parser.add_argument("--mode", type=LoadMode, choices=list(LoadMode), default=LoadMode.SINGLE)
    parser.add_argument("--soak-minutes", type=float, help="measure only whether memory grows over this time")
    parser.add_argument("--json", action="store_true", help="lines of JSON; they are all there is")
    asked = parser.parse_args()
    load_average = float(Path("/proc/loadavg").read_text().split()[0])
    server = Installation()
    try:
        server.start()
        print_figure("moves.load_average_before", load_average, "1")
        uvloop.run(drive(plan(server.endpoint, asked.mode, FULL_SPEED_PLAYERS, WARM_UP_S)))
        if asked.soak_minutes:
            measure_growth(server, asked.mode, asked.soak_minutes)
            return
        measure_full_speed(server, asked.mode, asked.seconds)
        measure_steady(server, asked.mode, asked.seconds)
        # Long enough for every player to have begun a board.
        most = asyncio.run(memory_with_boards(server, asked.mode, 2 * BOARDS / BOARDS_RATE))
        print_figure("moves.rss_1000_boards_mib", most, "MiB")
    finally:
        server.remove()


if __name__ == "__main__":
    main()
