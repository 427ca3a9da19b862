"""What a service hands to the process that runs it, and what it is handed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import grpc

from libs.eventstore.port import Feed
from libs.runtime.clock import Clock

if TYPE_CHECKING:
    from libs.bus.port import Bus
    from libs.eventstore.postgres.database import Database
    from libs.runtime.clients import Clients
    from libs.runtime.config import Settings
    from libs.runtime.interceptors.authentication import Revocations
    from libs.runtime.tokens import Keys, OpaqueTokens


def _no_revocations() -> Revocations:
    from libs.runtime.interceptors.authentication import Revocations

    return Revocations()


@dataclass(frozen=True)
class Runtime:
    """What a process offers to the services in it. `bind` is the only reader."""

    settings: Settings
    clock: Clock
    randomness: Callable[[int], bytes]  # n -> n random bytes
    holder: str  # names this process in leases
    bus: Bus
    open_database: Callable[[str], Awaitable[Database]]  # service name -> its schema's database
    clients: Clients  # signed calls to other services
    keys: Keys  # verifies and, where the key is held, signs tokens
    opaque: OpaqueTokens  # page and resume tokens
    revocations: Revocations = field(default_factory=_no_revocations)  # sessions refused in this process


@dataclass(frozen=True)
class Loop:
    """Work that goes on until `stop` is set. It returns then; an exception restarts it after a pause."""

    name: str
    run: Callable[[asyncio.Event], Awaitable[None]]


@dataclass(frozen=True)
class Service:
    """One bound service."""

    name: str
    grpc_names: tuple[str, ...]  # full names, for health and reflection
    register: Callable[[grpc.aio.Server], None]
    serving: tuple[Loop, ...] = ()  # run where calls are served
    working: tuple[Loop, ...] = ()  # run where the work is done (sequencer, relay, consumers, timers)
    ready: Callable[[], Awaitable[bool]] | None = None
    drain: Callable[[], Awaitable[None]] | None = None  # end streams with their reason
    close: Callable[[], Awaitable[None]] | None = None
    feed: Feed | None = None  # what FeedService reads for others


Bind = Callable[[Runtime], Awaitable[Service]]
