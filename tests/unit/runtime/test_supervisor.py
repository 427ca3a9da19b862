"""The supervisor's decisions, with parts that die on command and a clock that is set by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from libs.runtime.embedded.child import Child
from libs.runtime.embedded.failure import LaunchError
from libs.runtime.supervisor import DEATHS_MAX, Part, Supervisor


class Program:
    """A process that dies on command."""

    returncode = -9

    def __init__(self) -> None:
        self.alive = True

    def poll(self) -> int | None:
        """As `subprocess.Popen.poll`."""
        return None if self.alive else self.returncode


@dataclass
class World:
    """One supervised part, what was said, and the time."""

    tmp_path: Path
    now: float = 1000.0
    answers: bool = True
    starts: int = 0
    said: list[str] = field(default_factory=list)
    changes: int = 0

    def part(self, name: str, needs: tuple[Part, ...] = ()) -> Part:
        """A part that runs."""
        child = Child(name, ["none"], self.tmp_path / f"{name}.log")
        child.process = Program()  # type: ignore[assignment]
        return Part(child, self._launch(child), lambda: self.answers, 1.0, needs=needs, ready=True)

    def supervisor(self, *parts: Part) -> Supervisor:
        """A supervisor of these parts."""
        return Supervisor(parts, self.said.append, self._changed, monotonic=lambda: self.now)

    def _launch(self, child: Child) -> Callable[[], None]:
        def launch() -> None:
            self.starts += 1
            child.process = Program()  # type: ignore[assignment]

        return launch

    def _changed(self) -> None:
        self.changes += 1


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world in which nothing died yet."""
    return World(tmp_path)


def die(part: Part) -> None:
    """End the part's process."""
    part.child.process.alive = False  # type: ignore[union-attr]


def pass_time(world: World, supervisor: Supervisor, seconds: float) -> None:
    """Let time pass in ticks."""
    for _ in range(round(seconds / 0.05)):
        world.now += 0.05
        supervisor.tick()


def test_what_lives_is_left_alone(world: World) -> None:
    """No death, no start, no word."""
    supervisor = world.supervisor(world.part("NATS"))
    pass_time(world, supervisor, 60)

    assert (world.starts, world.said) == (0, [])


def test_a_death_is_said_and_mended_and_the_return_is_said(world: World) -> None:
    """One line when it ends, one when it answers again; the announcement is written anew."""
    part = world.part("NATS")
    supervisor = world.supervisor(part)
    die(part)
    pass_time(world, supervisor, 1)

    assert world.starts == 1
    assert world.changes == 1
    assert world.said[0] == "NATS was ended by signal 9; it is started again."
    assert world.said[1].startswith("NATS is back after 0.")


def test_what_stands_on_a_dead_part_starts_after_it_answers(world: World) -> None:
    """A service is not started into a database that is not there yet."""
    database = world.part("PostgreSQL")
    service = world.part("serving", needs=(database,))
    supervisor = world.supervisor(database, service)
    world.answers = False
    die(database)
    die(service)
    pass_time(world, supervisor, 5)
    starts_without_answer = world.starts
    world.answers = True
    pass_time(world, supervisor, 5)

    assert starts_without_answer == 1
    assert world.starts == 2


def test_a_part_that_keeps_dying_ends_the_whole(world: World) -> None:
    """Ten deaths within a minute: a clear error, not an endless loop."""
    part = world.part("NATS")
    supervisor = world.supervisor(part)
    for _ in range(DEATHS_MAX - 1):
        die(part)
        pass_time(world, supervisor, 2)
    die(part)
    with pytest.raises(LaunchError, match=f"NATS ended {DEATHS_MAX} times within a minute"):
        supervisor.tick()

    assert world.starts == DEATHS_MAX - 1


def test_rare_deaths_are_always_mended(world: World) -> None:
    """A crash every ten seconds never adds up to a reason to give up."""
    part = world.part("NATS")
    supervisor = world.supervisor(part)
    for _ in range(5 * DEATHS_MAX):
        die(part)
        pass_time(world, supervisor, 10)

    assert world.starts == 5 * DEATHS_MAX
