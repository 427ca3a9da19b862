"""Examples of docstrings, run as they are written."""

from __future__ import annotations

import ast
import doctest
import io
from contextlib import redirect_stdout
from types import ModuleType
from typing import Any


async def check_examples(documented: type | ModuleType, names: dict[str, Any], target: str = "") -> None:
    """Run every example of a docstring, one after the other, and hold what it prints against what it shows.

    `names` is what they find defined, and what they define is added to it. The address of `make run` stands
    for `target`.
    """
    examples = doctest.DocTestParser().get_examples(documented.__doc__ or "")
    assert examples
    for example in examples:
        source = example.source.replace("127.0.0.1:7400", target)
        assert await _printed(source, names) == example.want, example.source


async def _printed(source: str, names: dict[str, Any]) -> str:
    """Run one statement, `await` allowed at its top, and return what the interpreter would print."""
    code = compile(source, "<example>", "single", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    printed = io.StringIO()
    with redirect_stdout(printed):
        running = eval(code, names)  # noqa: S307 our own docstring
        if running is not None:
            await running
    return printed.getvalue()
