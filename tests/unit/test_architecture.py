"""The import contracts hold here, and fail where they should: each is shown a violation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Violation:
    """A line that breaks a contract when it stands in that module; the module may be a new one."""

    contract: str
    module: str
    line: str


VIOLATIONS = [
    Violation("libs-layers", "libs/eventstore/port.py", "import libs.runtime.clock"),
    Violation("service-layers", "services/match/commands.py", "import services.match.domain"),
    Violation("service-layers", "services/match/newcomer.py", '"""In no layer."""'),
    Violation("match-layers", "services/match/queue/store.py", "import services.match.queue.tickets"),
    Violation("mcr-served", "services/mcr/tables/store.py", "import services.mcr.tables.begin"),
    Violation("match-pools", "services/match/pools/refusals.py", "import services.match.pools.play"),
    Violation(
        "match-spectating", "services/match/spectating/games.py", "import services.match.spectating.matches"
    ),
    Violation("match-races", "services/match/races/store.py", "import services.match.races.play"),
    Violation(
        "match-rematches", "services/match/rematches/store.py", "import services.match.rematches.rematches"
    ),
    Violation(
        "match-tournaments", "services/match/tournaments/store.py", "import services.match.tournaments.tables"
    ),
    Violation(
        "match-fair-play", "services/match/fairplay/store.py", "import services.match.fairplay.reports"
    ),
    Violation(
        "match-learning", "services/match/learning/sayings.py", "import services.match.learning.servicer"
    ),
    Violation("mcr-deals", "services/mcr/domain/deal/state.py", "import services.mcr.domain.deal.decide"),
    Violation(
        "mcr-tables", "services/mcr/domain/session/state.py", "import services.mcr.domain.session.decide"
    ),
    Violation("mcr-domain", "services/mcr/domain/deal/terms.py", "import services.mcr.domain.session.terms"),
    Violation("match-history", "services/match/history/store.py", "import services.match.history.reading"),
    Violation("mcr-lobby", "services/mcr/lobby/store.py", "import services.mcr.lobby.tickets"),
    Violation(
        "mcr-spectating", "services/mcr/spectating/deals.py", "import services.mcr.spectating.servicer"
    ),
    Violation(
        "tournament-calendar",
        "services/tournament/domain/calendar/rules.py",
        "import services.tournament.domain.calendar.weeks",
    ),
    Violation(
        "tournament-deciding",
        "services/tournament/domain/tournament/state.py",
        "import services.tournament.domain.tournament.rounds",
    ),
    Violation(
        "tournament-domain",
        "services/tournament/domain/calendar/weeks.py",
        "import services.tournament.domain.tournament.words",
    ),
    Violation(
        "tournament-series",
        "services/tournament/domain/series/state.py",
        "import services.tournament.domain.series.decide",
    ),
    Violation("services-independent", "services/ledger/events.py", "import services.match.events"),
    Violation("libs-below-services", "libs/runtime/clock.py", "import services.match.events"),
    Violation("core-pure", "libs/rules/tiles.py", "import random"),
    Violation("core-pure", "services/match/events.py", "import time"),
    Violation("core-pure", "services/match/domain/__init__.py", "import libs.eventstore.port"),
    Violation("core-pure", "libs/eventsourcing/decider.py", "import libs.telemetry.meter"),
    Violation("wire-types", "libs/eventsourcing/envelope.py", "import libs.pb.sparrow.match.v1.match_pb2"),
    Violation("wire-types", "services/match/events.py", "import libs.pb.sparrow.match.v1.match_pb2"),
    Violation("sql", "services/match/commands.py", "import asyncpg"),
    Violation("nobody-imports-tests", "libs/runtime/clock.py", "import tests.support"),
    Violation("acyclic", "libs/rules/tiles.py", "import libs.rules.solitaire.board"),
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source that a test may spoil for a moment."""
    folder = tmp_path_factory.mktemp("architecture")
    leave_out = shutil.ignore_patterns("__pycache__", "data", "pb.new")
    for top in ("libs", "services", "tests"):
        shutil.copytree(ROOT / top, folder / top, ignore=leave_out)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def lint(folder: Path, *contracts: str) -> subprocess.CompletedProcess[str]:
    """Check contracts of a folder, by default all."""
    chosen = [part for contract in contracts for part in ("--contract", contract)]
    return subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache", *chosen],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_all_contracts_hold(copy: Path) -> None:
    """The source as it stands keeps every contract."""
    outcome = lint(copy)

    assert outcome.returncode == 0, outcome.stdout


@pytest.mark.parametrize("violation", VIOLATIONS, ids=lambda v: f"{v.contract}: {v.module}: {v.line}")
def test_a_planted_violation_breaks_its_contract(copy: Path, violation: Violation) -> None:
    """A contract that cannot fail would guard nothing: generated stubs, for one, must be in its sight."""
    module = copy / violation.module
    text = module.read_text() if module.exists() else None
    module.write_text(f"{text or ''}\n{violation.line}\n")
    try:
        outcome = lint(copy, violation.contract)
    finally:
        if text is None:
            module.unlink()
        else:
            module.write_text(text)

    assert outcome.returncode == 1, outcome.stdout
    assert "BROKEN" in outcome.stdout


def test_every_contract_is_shown_a_violation() -> None:
    """No contract of the configuration is left without its test."""
    configured = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]

    assert {contract["id"] for contract in configured} == {violation.contract for violation in VIOLATIONS}
