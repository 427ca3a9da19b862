"""Who calls: known to every handler once the interceptor has read the token."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from uuid import NAMESPACE_URL, UUID, uuid5


@dataclass(frozen=True, slots=True)
class Anybody:
    """A caller without a token, on a PUBLIC method."""


@dataclass(frozen=True, slots=True)
class Player:
    """A signed-in player."""

    account_id: UUID
    session_id: UUID


@dataclass(frozen=True, slots=True)
class ServiceCaller:
    """Another service of Sparrow."""

    name: str


@dataclass(frozen=True, slots=True)
class Operator:
    """A person who runs the site."""

    name: str


Caller = Anybody | Player | ServiceCaller | Operator

CALLER: ContextVar[Caller] = ContextVar("caller")


def caller_id(caller: Caller) -> UUID:
    """Return the id in events and request keys: the account's own, or one derived from the name."""
    match caller:
        case Player(account_id=account_id):
            return account_id
        case ServiceCaller(name=name):
            return uuid5(NAMESPACE_URL, f"sparrow:service:{name}")
        case Operator(name=name):
            return uuid5(NAMESPACE_URL, f"sparrow:operator:{name}")
        case Anybody():
            return UUID(int=0)
