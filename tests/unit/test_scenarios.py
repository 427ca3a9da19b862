"""The table of scenarios names tests that exist, and each scenario once."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1]
ROW = re.compile(r"^\| ([OE]\d+(?:, [OE]\d+)*) \|.*\| (`.*`) \|$", re.MULTILINE)
TEST = re.compile(r"`([^`:]+)::([^`]+)`")


def test_every_scenario_is_shown_by_tests_that_exist() -> None:
    """File and function of each reference; no scenario stands in two rows."""
    rows = ROW.findall((TESTS / "scenarios.md").read_text())
    named = [(file, name) for _, shown_by in rows for file, name in TEST.findall(shown_by)]
    missing = [f"{file}::{name}" for file, name in named if name not in _functions(TESTS / file)]
    scenarios = Counter(scenario for told, _ in rows for scenario in told.split(", "))

    assert len(scenarios) > 40
    assert missing == []
    assert [scenario for scenario, count in scenarios.items() if count > 1] == []


def _functions(file: Path) -> set[str]:
    tree = ast.parse(file.read_text()) if file.exists() else ast.Module([], [])
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
