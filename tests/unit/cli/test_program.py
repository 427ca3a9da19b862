"""The program as a whole: its list of commands, and what it imports to run one."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest
import typer

from libs.cli.main import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_of_a_command_what_the_command_says_of_itself(name: str) -> None:
    """Summaries stand beside the names, so that the list needs no command; they are the commands' own."""
    command = COMMANDS[name]
    found = getattr(import_module(command.module), command.name)
    told = found.info.help if isinstance(found, typer.Typer) else found.__doc__

    assert told is not None
    assert " ".join(told.split("\n\n")[0].split()) == command.summary


def test_the_list_of_commands_names_all() -> None:
    """Help, and a word that is no command, show or refuse without importing any command."""
    shown = _sparrow("--help")
    refused = _sparrow("nonsense")

    assert shown.returncode == 0
    assert all(f" {name} " in shown.stdout for name in COMMANDS)
    assert refused.returncode == 2
    assert "No such command" in refused.stderr


@pytest.mark.parametrize(
    ("module", "slow"),
    [
        ("libs.cli.main", {"grpc", "pydantic", "asyncpg", "jwt", "sqlalchemy", "services"}),
        ("libs.cli.boards", {"pydantic", "asyncpg", "jwt", "sqlalchemy", "psutil", "nats", "services"}),
        ("libs.cli.demo.command", {"pydantic", "asyncpg", "jwt", "sqlalchemy", "psutil", "nats", "services"}),
        ("libs.cli.play.command", {"pydantic", "asyncpg", "jwt", "sqlalchemy", "psutil", "nats", "services"}),
        (
            "libs.runtime.foreground",
            {"asyncpg", "grpc", "sqlalchemy", "alembic", "nats", "psutil", "services"},
        ),
    ],
)
def test_what_starts_often_imports_nothing_slow_that_it_does_not_need(module: str, slow: set[str]) -> None:
    """Each of these packages takes a tenth of a second or more: commands and first steps go without."""
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert slow & set(done.stdout.split()) == set()


def _sparrow(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "libs.cli.main", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)
