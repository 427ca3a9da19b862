"""Fixtures for every test: a real PostgreSQL and NATS, started on first use, one pair per test process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.running_order import running_order
from tests.support.servers import Databases, Server, started_nats, started_postgres

HERE = Path(__file__).parent
CALCULATING = {"unit", "property"}
LIMIT_S = 60.0
"""What a test may take that does not say otherwise, as in pyproject.toml."""


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """`-n auto`: a process per core, and two more for tests that wait for clocks half of their time."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    only_calculates = all(CALCULATING & set(Path(argument).parts) for argument in config.args)
    return cores if only_calculates else cores + 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the files in an order in which no process of the tests ends long after the others."""
    allowed_s: dict[Path, float] = {}
    for item in items:
        limit = item.get_closest_marker("timeout")
        file = item.path.relative_to(HERE)
        allowed_s[file] = allowed_s.get(file, 0) + (limit.args[0] if limit else LIMIT_S)
    places = {HERE / file: place for place, file in enumerate(running_order(allowed_s))}
    items.sort(key=lambda item: places[item.path])


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """The PostgreSQL of this test process. A test that crashes it must start it again."""
    server = started_postgres()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def nats_server() -> Iterator[Server]:
    """The NATS of this test process. A test that crashes it must start it again."""
    server = started_nats()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def databases(postgres_server: Server) -> Databases:
    """Makes fresh databases on the server of this test process."""
    return Databases(postgres_server.url)


@pytest.fixture
def empty_database_url(databases: Databases) -> Iterator[str]:
    """A fresh database without tables, for one test."""
    url = databases.create()
    yield url
    databases.drop(url)


@pytest.fixture
def database_url(databases: Databases) -> Iterator[str]:
    """A fresh migrated database, for one test."""
    url = databases.create(_migrate)
    yield url
    databases.drop(url)


@pytest.fixture(scope="module")
def module_database_url(databases: Databases) -> Iterator[str]:
    """A fresh migrated database, shared by the tests of one module."""
    url = databases.create(_migrate)
    yield url
    databases.drop(url)


@pytest.fixture
def nats_url(nats_server: Server) -> str:
    """The address of the NATS of this test process; streams of other tests may be there."""
    return nats_server.url


def _migrate(url: str) -> None:
    """Bring a database to the present schema; imported on use, since most tests need no database."""
    from libs.eventstore.migrations import upgrade

    upgrade(url)
