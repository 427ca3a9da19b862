"""Refusals in the caller's language, over a real server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2  # type: ignore[import-untyped]
from grpc_status import rpc_status

from libs.client.calls import Anonymous, Calls, Retries
from libs.client.errors import RefusedError, SignInError
from libs.pb.sparrow.solitaire.v1 import solitaire_service_pb2
from libs.pb.sparrow.solitaire.v1.solitaire_service_pb2_grpc import SolitaireServiceStub
from services.solitaire.servicer import bind as bind_solitaire
from tests.support.edge import Edge, serving


@pytest.fixture
async def edge() -> AsyncIterator[Edge]:
    """A server with one service."""
    async with serving([bind_solitaire]) as edge:
        yield edge


async def failure_of(edge: Edge, metadata: Any, level: int = 1) -> grpc.aio.AioRpcError:
    """The failure of a call."""
    request = solitaire_service_pb2.DealLevelRequest(level=level)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await SolitaireServiceStub(edge.channel).DealLevel(request, metadata=metadata)
    return caught.value


def details_of(failure: grpc.aio.AioRpcError) -> dict[str, list[Any]]:
    """The details of a failure by their kind."""
    status: Any = rpc_status.from_call(failure)  # type: ignore[arg-type]
    found: dict[str, list[Any]] = {}
    for detail in status.details:
        name = detail.TypeName().rpartition(".")[2]
        message = getattr(error_details_pb2, name)()
        detail.Unpack(message)
        found.setdefault(name, []).append(message)
    return found


@pytest.mark.parametrize(
    ("asked", "locale", "text"),
    [
        ([], "en", "Sign in first."),
        ([("accept-language", "pl-PL, en;q=0.5")], "pl", "Najpierw się zaloguj."),
        ([("accept-language", "fa")], "fa", "نخست وارد حساب خود شوید."),
        ([("accept-language", "tlh")], "en", "Sign in first."),
        ([("accept-language", ";;q=,,pl;q=x")], "en", "Sign in first."),
    ],
)
async def test_a_refusal_carries_its_text_in_the_callers_language(
    edge: Edge, asked: list[tuple[str, str]], locale: str, text: str
) -> None:
    """One LocalizedMessage beside the ErrorInfo; the developer's message and the reason stay as they are."""
    failure = await failure_of(edge, asked)
    details = details_of(failure)

    assert [(told.locale, told.message) for told in details["LocalizedMessage"]] == [(locale, text)]
    assert [info.reason for info in details["ErrorInfo"]] == ["TOKEN_MISSING"]
    assert failure.details() == 'this call needs "authorization: Bearer <token>"'


async def test_a_malformed_language_fails_no_call(edge: Edge) -> None:
    """The call is served; nobody needs a language for that."""
    request = solitaire_service_pb2.DealLevelRequest(level=1)
    metadata = [*edge.as_service(), ("accept-language", ";q=,*;;" + "x-" * 1_000)]

    answer = await SolitaireServiceStub(edge.channel).DealLevel(request, metadata=metadata)

    assert answer.level == 1


async def test_a_field_is_named_in_the_text(edge: Edge) -> None:
    """Its path and what is allowed are values of the text; BadRequest still tells developers."""
    failure = await failure_of(edge, [*edge.as_service(), ("accept-language", "es")], level=0)
    details = details_of(failure)

    assert details["LocalizedMessage"][0].message == "El valor de level debe estar entre 1 y 11000."
    assert len(details["BadRequest"]) == 1


async def test_the_site_chooses_the_language_of_those_who_ask_for_none_of_ours() -> None:
    """By a setting."""
    async with serving([bind_solitaire], default_language="ro") as edge:
        details = details_of(await failure_of(edge, [("accept-language", "ja")]))

    assert details["LocalizedMessage"][0].message == "Conectează-te mai întâi."


async def test_an_unknown_method_is_answered_in_the_callers_language(edge: Edge) -> None:
    """No handler, no contract, still a sentence."""
    unary: Any = edge.channel.unary_unary("/sparrow.solitaire.v1.SolitaireService/Nothing")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await unary(b"", metadata=[("accept-language", "ro")])

    assert (
        details_of(caught.value)["LocalizedMessage"][0].message == "Acest server nu cunoaște această cerere."
    )


async def test_the_client_tells_what_the_server_said_in_its_players_language(edge: Edge) -> None:
    """`localized` and `text` of the error; its message and reason stay English."""
    calls = Calls(Anonymous(), Retries(for_s=0), "pl, en;q=0.5")
    request = solitaire_service_pb2.DealLevelRequest(level=1)

    with pytest.raises(SignInError) as caught:
        await calls.unary(SolitaireServiceStub(edge.channel).DealLevel, request, 5.0)

    assert caught.value.text == caught.value.localized == "Najpierw się zaloguj."
    assert caught.value.reason == "TOKEN_MISSING"
    assert str(caught.value).startswith("TOKEN_MISSING: this call needs")


def test_english_goes_on_with_the_details_of_a_field_that_has_no_rule_of_its_own() -> None:
    """In other languages, and where a rule tells them, the text stands alone."""
    status, message = grpc.StatusCode.INVALID_ARGUMENT, "day: not together with as_of_time"
    field = {"field": "day"}
    english = RefusedError("FIELD_INVALID", status, message, field, None, "The value is not valid.", "en")
    polish = RefusedError("FIELD_INVALID", status, message, field, None, "Nieprawidłowa wartość.", "pl")
    ruled = RefusedError("FIELD_INVALID", status, message, {**field, "rule": "MAX"}, None, "At most 3.", "en")

    assert english.text == "The value is not valid: not together with as_of_time."
    assert (polish.text, ruled.text) == ("Nieprawidłowa wartość.", "At most 3.")


def test_an_error_without_a_localized_text_shows_what_there_is() -> None:
    """The developer's message, else the reason."""
    refused = RefusedError("TILE_GONE", grpc.StatusCode.FAILED_PRECONDITION, "the tile has left the board")

    assert refused.text == "the tile has left the board"
    assert RefusedError("TILE_GONE", grpc.StatusCode.FAILED_PRECONDITION).text == "TILE_GONE"
