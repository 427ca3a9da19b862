"""`sparrow bench NAME`: runs the measurements that live beside the tests."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from libs.cli.terminal import JsonFlag, fail, print_json
from libs.runtime.places import REPOSITORY


class _ByName(TyperGroup):
    """Besides its commands, every measurement is one: `bench NAME` is `bench run NAME`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return what a command line names."""
        if args and _module_name(args[0]) in _benches() and args[0] not in self.commands:
            args = ["run", *args]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_ByName, no_args_is_help=True, help="Measure parts of Sparrow: a line of JSON a figure."
)


@app.command("list")
def list_benches(as_json: JsonFlag = False) -> None:
    """Name the measurements there are."""
    names = sorted(_benches())
    if as_json:
        print_json(names)
    else:
        print("\n".join(names) if names else "There are none.")


@app.command("run", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def run_bench(
    context: typer.Context, name: Annotated[str, typer.Argument(help="as `list` names it")]
) -> None:
    """Run one; further arguments are its own. `bench NAME` is short for it."""
    benches, module = _benches(), _module_name(name)
    if module not in benches:
        fail(f"There is no measurement called {name}: see sparrow bench list")
    sys.argv = [name, *context.args]
    sys.path.insert(0, str(REPOSITORY))
    runpy.run_module(benches[module], run_name="__main__")


def _module_name(name: str) -> str:
    """Return how a measurement's module is called: `mcr-tables` and `mcr_tables` are the same one."""
    return name.replace("-", "_")


def _benches() -> dict[str, str]:
    """Return the modules in tests/bench that can be run, by name."""
    folder = REPOSITORY / "tests" / "bench"
    found: dict[str, str] = {}
    for path in folder.rglob("*.py"):
        if path.stem.startswith("_") or '__name__ == "__main__"' not in path.read_text(encoding="utf-8"):
            continue
        relative = path.relative_to(folder).with_suffix("")
        found[".".join(relative.parts)] = ".".join(Path("tests", "bench", relative).parts)
    return found
