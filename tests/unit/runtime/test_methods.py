"""Audiences: who may call what, and nobody by default."""

from __future__ import annotations

from uuid import UUID

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool

import services.account.servicer
import services.ledger.servicer
import services.match.servicer
import services.mcr.servicer
import services.solitaire.servicer
import services.tournament.servicer  # noqa: F401 all contracts are loaded
from libs.runtime.caller import Anybody, Caller, Operator, Player, ServiceCaller
from libs.runtime.config import Settings
from libs.runtime.embedded.ports import free_port
from libs.runtime.errors import Refused
from libs.runtime.failure import StartupFailure
from libs.runtime.interceptors.authentication import Revocations
from libs.runtime.interceptors.methods import Method, method_of, methods_open_to_nobody
from libs.runtime.server import Server
from libs.runtime.service import Service
from libs.runtime.systemclock import SteppingClock
from tests.support.edge import START, keys_for_tests

CALLERS: dict[str, Caller] = {
    "anybody": Anybody(),
    "player": Player(UUID(int=1), UUID(int=2)),
    "service": ServiceCaller("match"),
    "operator": Operator("ana"),
}
FORGOTTEN = "sparrow.forgotten.v1.ForgottenService"


@pytest.fixture(scope="module", autouse=True)
def forgotten() -> None:
    """A contract whose author forgot the audience."""
    file = descriptor_pb2.FileDescriptorProto(
        name="sparrow/forgotten/v1/forgotten.proto", package="sparrow.forgotten.v1", syntax="proto3"
    )
    file.message_type.add(name="Nothing")
    method = file.service.add(name="ForgottenService").method.add(name="Call")
    method.input_type = method.output_type = ".sparrow.forgotten.v1.Nothing"
    descriptor_pool.Default().Add(file)


def allowed(method: Method) -> set[str]:
    """Return who may call it."""
    callers = set()
    for name, caller in CALLERS.items():
        try:
            method.check_audience(caller)
        except Refused:
            continue
        callers.add(name)
    return callers


@pytest.mark.parametrize(
    ("path", "callers"),
    [
        ("/sparrow.account.v1.AccountService/SignIn", {"anybody", "player", "service", "operator"}),
        ("/sparrow.account.v1.AccountService/SignOut", {"player"}),
        ("/sparrow.account.v1.AccountService/GetProfile", {"player", "service", "operator"}),
        ("/sparrow.ledger.v1.LedgerService/PostTransfer", {"service"}),
        ("/sparrow.event.v1.FeedService/ReadFeed", {"service", "operator"}),
        (f"/{FORGOTTEN}/Call", set()),
        ("/no.such.Service/Call", set()),
    ],
)
def test_a_method_is_open_to_its_audiences_and_nobody_else(path: str, callers: set[str]) -> None:
    """PUBLIC means everybody; a method without the option is refused to everybody."""
    assert allowed(method_of(path)) == callers


def test_the_check_at_start_up_names_what_was_forgotten() -> None:
    """And finds nothing in the contracts of today."""
    ours = [
        f"sparrow.{package}.v1.{package.title()}Service"
        for package in ("account", "ledger", "match", "mcr", "solitaire", "tournament")
    ]

    assert methods_open_to_nobody([*ours, "sparrow.event.v1.FeedService"]) == []
    assert methods_open_to_nobody([FORGOTTEN]) == [f"{FORGOTTEN}/Call"]


async def test_a_server_with_a_forgotten_method_does_not_start() -> None:
    """The failure names the method, before anything listens."""
    settings = Settings(port=free_port("forgotten"))
    server = Server(settings, keys_for_tests(), SteppingClock(START), Revocations())
    service = Service("forgotten", (FORGOTTEN,), lambda _server: None)

    with pytest.raises(StartupFailure, match=f"{FORGOTTEN}/Call"):
        await server.start([service])
