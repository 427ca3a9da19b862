"""The examples in the client's docstrings are true."""

from __future__ import annotations

import ast
import doctest
import io
from contextlib import redirect_stdout
from types import ModuleType
from typing import Any

import pytest

import libs.client
from libs.client.client import SparrowClient
from libs.client.game import Game
from tests.support.pairs import pair_of

MAKE_RUN = "127.0.0.1:7400"


@pytest.mark.parametrize("documented", [libs.client, SparrowClient, Game])
async def test_the_examples_of_the_docstring_say_what_happens(
    documented: type | ModuleType, client: SparrowClient, target: str
) -> None:
    """Every example runs as written, against a live server, and prints what it shows."""
    examples = doctest.DocTestParser().get_examples(documented.__doc__ or "")
    names: dict[str, Any] = {
        "client": client,
        "target": target,
        "pair_of": pair_of,
        "SparrowClient": SparrowClient,
    }

    assert examples
    for example in examples:
        assert await _run(example.source.replace(MAKE_RUN, target), names) == example.want, example.source


async def _run(source: str, names: dict[str, Any]) -> str:
    """Run one statement, `await` allowed at its top, and return what the interpreter would print."""
    code = compile(source, "<example>", "single", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    printed = io.StringIO()
    with redirect_stdout(printed):
        running = eval(code, names)  # noqa: S307 our own docstring
        if running is not None:
            await running
    return printed.getvalue()
