"""What watchers of health are told."""

from __future__ import annotations

import asyncio
from typing import Any

from grpc_health.v1 import health_pb2

from libs.runtime.health_servicer import Health, Response

NOBODY: Any = None


def watch(health: Health, name: str = "") -> Any:
    """Watch one entry."""
    return health.Watch(health_pb2.HealthCheckRequest(service=name), NOBODY)


async def test_a_watcher_that_reads_nothing_holds_nobody_up() -> None:
    """Changes are entered at once, and whoever reads again is told how it is, not how it was."""
    health = Health()
    lazy, keen = watch(health), watch(health)
    assert (await anext(lazy)).status == (await anext(keen)).status == Response.NOT_SERVING

    health.tell("", serving=True)
    assert (await anext(keen)).status == Response.SERVING
    health.tell("", serving=False)
    assert (await anext(keen)).status == Response.NOT_SERVING
    health.tell("", serving=True)

    assert (await anext(lazy)).status == Response.SERVING


async def test_nothing_serves_once_the_server_leaves() -> None:
    """A verdict that comes late changes nothing any more."""
    health = Health()
    health.tell("", serving=True)
    health.tell("match", serving=True)
    health.leave()
    health.tell("match", serving=True)

    for name in ("", "match"):
        assert (await anext(watch(health, name))).status == Response.NOT_SERVING


async def test_an_unknown_service_may_appear() -> None:
    """A watcher of it is told so, and told again when it is there."""
    health = Health()
    watching = watch(health, "match")
    assert (await anext(watching)).status == Response.SERVICE_UNKNOWN

    appearing = asyncio.ensure_future(anext(watching))
    await asyncio.sleep(0)
    health.tell("match", serving=True)

    assert (await asyncio.wait_for(appearing, 30)).status == Response.SERVING
