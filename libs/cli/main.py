"""The program `sparrow`: it imports the command that was asked for alone, since all of them take a second."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType

import typer


@dataclass(frozen=True)
class Command:
    """Where a command, or a group of them, is found, and what the list of commands says about it."""

    module: str
    name: str
    summary: str


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "demo": Command(
            "libs.cli.demo.command",
            "app",
            "Let bots play, then compare the boards with what was acknowledged; 1 if they differ.",
        ),
        "play": Command("libs.cli.play.command", "app", "Play in the terminal."),
        "watch": Command(
            "libs.cli.watch.command",
            "watch",
            "Watch matches of others, a stated delay after they are played.",
        ),
        "boards": Command("libs.cli.boards", "app", "Look at the boards."),
        "clubs": Command("libs.cli.clubs.command", "app", "Found clubs, come in, let others in, leave."),
        "matches": Command("libs.cli.matches.command", "app", "Look back at your matches, pair by pair."),
        "tables": Command("libs.cli.tables.command", "app", "Look back at your MCR tables, tile by tile."),
        "tournaments": Command(
            "libs.cli.tournaments.command",
            "app",
            "Enter tournaments and watch them; run them as an operator.",
        ),
        "levels": Command("libs.cli.levels", "app", "Look at levels."),
        "layouts": Command("libs.cli.layouts.command", "app", "Look at layout files of other programs."),
        "report": Command("libs.cli.fair_play.report", "report", "Report another player to the operators."),
        "balances": Command("libs.cli.balances", "balances", "Show your jokers, chips and cups."),
        "chips": Command("libs.cli.chips", "app", "Claim the day's chips."),
        "redeem": Command("libs.cli.chips", "redeem", "Redeem a shop's receipt for jokers."),
        "bonus": Command("libs.cli.bonus", "app", "Claim the daily bonus."),
        "doctor": Command(
            "libs.cli.doctor.command",
            "doctor",
            "Say what is healthy. Exit code 0 when everything that can be seen from here is, else 1.",
        ),
        "load": Command(
            "libs.cli.load.command",
            "load",
            "Let bots play as fast as they are answered: accepted moves a second, latency, errors by reason.",
        ),
        "solve": Command(
            "libs.cli.solve.command",
            "solve",
            "Say of each position of a file whether it can be solved, and how; 1 if any line was bad.",
        ),
        "mcr": Command(
            "libs.cli.mcr.command", "app", "Play MCR, score hands, say what they wait for, explain them."
        ),
        "verify": Command(
            "libs.cli.verify.command",
            "verify",
            "Recompute deals, scores and result of a match from its events; 1 if anything differs.",
        ),
        "events": Command(
            "libs.cli.events.command", "app", "Export the event log, ask it in SQL, follow it live."
        ),
        "ledger": Command(
            "libs.cli.ledger.command", "app", "Build boards anew, verify the ledger, compare boards."
        ),
        "replay": Command(
            "libs.cli.replay.command",
            "replay_command",
            "Run matches again from their events, or the boards of an instant; 1 if anything differs.",
        ),
        "operator": Command("libs.cli.operator", "app", "Run the site."),
        "bench": Command("libs.cli.bench", "app", "Measure parts of Sparrow: a line of JSON a figure."),
    }
)


def program(arguments: Sequence[str]) -> typer.Typer:
    """Return the program for these arguments: with the command they name, or with the names of all."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        help="Play on a running Sparrow and look at it. Start one with `make run`.",
    )
    app.callback()(_sparrow)
    wanted = arguments[0] if arguments else ""
    if wanted not in COMMANDS:
        for name, command in COMMANDS.items():
            app.command(name, help=command.summary)(_named_only)
        return app
    command = COMMANDS[wanted]
    found = getattr(import_module(command.module), command.name)
    if isinstance(found, typer.Typer):
        app.add_typer(found, name=wanted)
    else:
        app.command(wanted)(found)
    return app


def _sparrow() -> None:
    """Play on a running Sparrow and look at it. Start one with `make run`."""


def _named_only() -> None:
    """Stand in a list of commands; a command that is run is always the real one."""


def main() -> None:
    """Run the command line."""
    program(sys.argv[1:])()


if __name__ == "__main__":
    main()
