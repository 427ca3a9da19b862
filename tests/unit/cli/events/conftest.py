"""The recorded log as an export, once per format."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from libs.cli.events.export import Order, export
from libs.cli.events.manifest import Encoding
from libs.cli.events.schema import known_services
from tests.support.events_log import Feeds, recorded_feeds


@pytest.fixture(scope="session")
def feeds() -> Feeds:
    """The recorded log."""
    return recorded_feeds()


@pytest.fixture(scope="session", params=list(Encoding))
def exported(request: pytest.FixtureRequest, feeds: Feeds, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of all of it; tests leave it as it is."""
    encoding: Encoding = request.param
    folder = tmp_path_factory.mktemp("exports") / encoding.value
    asyncio.run(export(feeds, Order(known_services(), encoding), folder))
    return folder
