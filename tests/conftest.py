"""Fixtures for every test: a real PostgreSQL and NATS, started on first use, one pair per test process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.servers import Databases, Server, started_nats, started_postgres

ORDER = ("e2e", "fault", "property", "integration", "unit")
"""Folders whose files take long come first, so that no process of the tests ends long after the others."""
CALCULATING = {"unit", "property"}


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """`-n auto`: a process per core, and two more for tests that wait for clocks half of their time."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    only_calculates = all(CALCULATING & set(Path(argument).parts) for argument in config.args)
    return cores if only_calculates else cores + 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the folders in their order; tests keep theirs."""
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    """Where the folder of a test comes in the order."""
    folder = item.path.relative_to(Path(__file__).parent).parts[0]
    return ORDER.index(folder) if folder in ORDER else len(ORDER)


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
