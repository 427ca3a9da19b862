"""The program `sparrow`."""

from __future__ import annotations

import typer

from libs.cli import bench, boards, bonus, levels, operator
from libs.cli.balances import balances
from libs.cli.demo.command import demo
from libs.cli.doctor.command import doctor
from libs.cli.load.command import load
from libs.cli.play.command import app as play_app
from libs.cli.verify.command import verify

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Play on a running Sparrow and look at it. Start one with `make run`.",
)
app.command()(demo)
app.command()(load)
app.add_typer(play_app, name="play")
app.add_typer(boards.app, name="boards")
app.add_typer(levels.app, name="levels")
app.add_typer(bonus.app, name="bonus")
app.command()(balances)
app.command()(doctor)
app.command()(verify)
app.add_typer(operator.app, name="operator")
app.add_typer(bench.app, name="bench")


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
