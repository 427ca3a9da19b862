"""Methods as their descriptors describe them. A method without the audience option is open to nobody."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from google.protobuf import descriptor_pool

from libs.pb.sparrow.common.v1 import audience_pb2
from libs.runtime.caller import Anybody, Caller, Operator, Player, ServiceCaller
from libs.runtime.errors import Refused

INFRASTRUCTURE = ("/grpc.health.v1.", "/grpc.reflection.")
"""Services of gRPC itself: open to everybody, also while draining."""

_AUDIENCE_OF_CALLER = {
    Player: audience_pb2.AUDIENCE_PLAYER,
    ServiceCaller: audience_pb2.AUDIENCE_SERVICE,
    Operator: audience_pb2.AUDIENCE_OPERATOR,
}


@dataclass(frozen=True, slots=True)
class Method:
    """One method of the contracts."""

    path: str  # "/sparrow.match.v1.MatchService/Touch"
    audiences: frozenset[int]
    infrastructure: bool

    @property
    def is_public(self) -> bool:
        """Whether anybody may call it, without a token."""
        return audience_pb2.AUDIENCE_PUBLIC in self.audiences

    def check_audience(self, caller: Caller) -> None:
        """Raise Refused AUDIENCE or TOKEN_MISSING unless the caller is one of the audiences."""
        if self.is_public or _AUDIENCE_OF_CALLER.get(type(caller)) in self.audiences:
            return
        if isinstance(caller, Anybody) and self.audiences:
            raise Refused("TOKEN_MISSING", 'this call needs "authorization: Bearer <token>"')
        raise Refused("AUDIENCE", "this method is not for you", {"method": self.path})


@cache
def method_of(path: str) -> Method:
    """Return the method at a registered path; one that no contract describes is open to nobody."""
    infrastructure = path.startswith(INFRASTRUCTURE)
    if infrastructure:
        return Method(path, frozenset({audience_pb2.AUDIENCE_PUBLIC}), infrastructure=True)
    try:
        descriptor = descriptor_pool.Default().FindMethodByName(path[1:].replace("/", "."))
    except KeyError:
        return Method(path, frozenset(), infrastructure=False)
    audiences = descriptor.GetOptions().Extensions[audience_pb2.audience]
    return Method(path, frozenset(audiences) - {audience_pb2.AUDIENCE_UNSPECIFIED}, infrastructure=False)


def methods_open_to_nobody(grpc_names: Iterable[str]) -> list[str]:
    """Return the methods of these services that carry no audience, for the check at start-up."""
    pool = descriptor_pool.Default()
    return [
        f"{name}/{method.name}"
        for name in grpc_names
        for method in pool.FindServiceByName(name).methods
        if not method_of(f"/{name}/{method.name}").audiences
    ]
