"""Signing in, refreshing, signing out and names, over real gRPC and PostgreSQL."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from sqlalchemy import text

from libs.pb.sparrow.account.v1 import account_pb2
from libs.pb.sparrow.account.v1 import account_service_pb2 as pb
from libs.pb.sparrow.account.v1.account_service_pb2_grpc import AccountServiceStub
from services.account.servicer import bind
from tests.support.edge import Edge, bearer, refused, serving


@pytest.fixture
async def edge(module_database_url: str) -> AsyncIterator[Edge]:
    """A server with the account service."""
    async with serving([bind], database_url=module_database_url) as edge:
        yield edge


def sign_in(edge: Edge, device_key: bytes, request_id: str | None = None) -> Any:
    """Call SignIn."""
    request = pb.SignInRequest(device_key=device_key, request_id=request_id or str(uuid4()))
    return AccountServiceStub(edge.channel).SignIn(request)


def refresh(edge: Edge, refresh_token: str, request_id: str | None = None) -> Any:
    """Call RefreshSession."""
    request = pb.RefreshSessionRequest(refresh_token=refresh_token, request_id=request_id or str(uuid4()))
    return AccountServiceStub(edge.channel).RefreshSession(request)


def own_profile(edge: Edge, session: account_pb2.Session) -> Any:
    """Call GetProfile for the caller."""
    request = pb.GetProfileRequest(name="players/me")
    return AccountServiceStub(edge.channel).GetProfile(request, metadata=bearer(session.access_token))


def sign_out(edge: Edge, session: account_pb2.Session, **fields: Any) -> Any:
    """Call SignOut."""
    request = pb.SignOutRequest(**{"request_id": str(uuid4()), **fields})
    return AccountServiceStub(edge.channel).SignOut(request, metadata=bearer(session.access_token))


def rename(edge: Edge, signed_in: pb.SignInResponse, display_name: str, **fields: Any) -> Any:
    """Call UpdateProfile."""
    profile = account_pb2.Profile(name=fields.pop("name", signed_in.profile.name), display_name=display_name)
    values = {"update_mask": FieldMask(paths=["display_name"]), "request_id": str(uuid4()), **fields}
    request = pb.UpdateProfileRequest(profile=profile, **values)
    metadata = bearer(signed_in.session.access_token)
    return AccountServiceStub(edge.channel).UpdateProfile(request, metadata=metadata)


async def count(edge: Edge, table: str) -> int:
    """Count the rows of a table."""
    async with edge.databases[0].engine.connect() as connection:
        return int((await connection.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one())


async def test_first_contact_creates_a_profile_with_a_name_and_an_event(edge: Edge) -> None:
    """One call makes account, name, session and event; its tokens work."""
    events = await count(edge, "event")

    signed_in = await sign_in(edge, secrets.token_bytes(32))
    profile = (await own_profile(edge, signed_in.session)).profile

    assert signed_in.created
    assert profile == signed_in.profile
    assert profile.display_name
    assert await count(edge, "event") == events + 1


async def test_a_known_device_gets_its_account_again(edge: Edge) -> None:
    """The second sign-in of a device opens another session of the same account."""
    device = secrets.token_bytes(16)
    first = await sign_in(edge, device)
    second = await sign_in(edge, device)

    assert (first.created, second.created) == (True, False)
    assert first.profile == second.profile
    assert first.session.name != second.session.name


async def test_first_contacts_at_once_create_one_profile(edge: Edge) -> None:
    """Eight simultaneous first contacts of a device create one account and one event."""
    device, profiles, events = (
        secrets.token_bytes(32),
        await count(edge, "profile"),
        await count(edge, "event"),
    )

    async def once() -> pb.SignInResponse:
        response: pb.SignInResponse = await sign_in(edge, device)
        return response

    signed_in = await asyncio.gather(*(once() for _ in range(8)))

    assert len({one.profile.name for one in signed_in}) == 1
    assert sorted(one.created for one in signed_in) == [False] * 7 + [True]
    assert (await count(edge, "profile"), await count(edge, "event")) == (profiles + 1, events + 1)


async def test_a_repeated_sign_in_gives_the_same_session(edge: Edge) -> None:
    """The same request_id, also at once, gives one session with working tokens and the same `created`."""
    device, request_id = secrets.token_bytes(32), str(uuid4())

    async def once() -> pb.SignInResponse:
        response: pb.SignInResponse = await sign_in(edge, device, request_id)
        return response

    first, *others = await asyncio.gather(*(once() for _ in range(4)))
    later = await once()

    assert {one.session.name for one in [*others, later]} == {first.session.name}
    assert all(one.created for one in [first, *others, later])
    assert (await refresh(edge, later.session.refresh_token)).session.name == first.session.name
    await own_profile(edge, later.session)


@pytest.mark.parametrize("size", [0, 1, 15, 65, 10_000])
async def test_device_keys_have_their_size(edge: Edge, size: int) -> None:
    """A key is 16 to 64 bytes."""
    refusal = await refused(sign_in(edge, b"k" * size))

    assert (refusal.reason, refusal.field) == ("FIELD_INVALID", "device_key")


@pytest.mark.parametrize("request_id", ["x" * 37, "é", "a b", "a\tb", "\x7f"])
async def test_request_ids_are_short_visible_ascii(edge: Edge, request_id: str) -> None:
    """Too long, blank and other characters are refused with the field."""
    for call in (
        sign_in(edge, secrets.token_bytes(16), request_id),
        refresh(edge, "token", request_id),
    ):
        refusal = await refused(call)
        assert (refusal.code, refusal.field) == (grpc.StatusCode.INVALID_ARGUMENT, "request_id")


async def test_a_write_without_request_id_is_refused(edge: Edge) -> None:
    """Every write is repeat-safe, so every write names itself."""
    request = pb.SignInRequest(device_key=secrets.token_bytes(16))

    refusal = await refused(AccountServiceStub(edge.channel).SignIn(request))

    assert (refusal.reason, refusal.field) == ("FIELD_INVALID", "request_id")


async def test_refreshing_trades_a_token_once(edge: Edge) -> None:
    """The successor works; the same request with the same token gets the same successor."""
    session = (await sign_in(edge, secrets.token_bytes(16))).session
    edge.clock.advance(timedelta(minutes=20))
    request_id = str(uuid4())

    renewed = (await refresh(edge, session.refresh_token, request_id)).session
    repeated = (await refresh(edge, session.refresh_token, request_id)).session

    assert renewed.refresh_token == repeated.refresh_token != session.refresh_token
    assert (await refused(own_profile(edge, session))).reason == "TOKEN_EXPIRED"
    await own_profile(edge, renewed)
    await own_profile(edge, repeated)


async def test_a_reused_refresh_token_ends_the_session_at_once(edge: Edge) -> None:
    """A traded token under another request_id means a copy is about: every token of the session is dead."""
    session = (await sign_in(edge, secrets.token_bytes(16))).session
    renewed = (await refresh(edge, session.refresh_token)).session

    stolen = await refused(refresh(edge, session.refresh_token))
    newest = await refused(refresh(edge, renewed.refresh_token))
    access = await refused(own_profile(edge, renewed))

    assert (stolen.code, stolen.reason) == (grpc.StatusCode.UNAUTHENTICATED, "REFRESH_REUSED")
    assert (newest.reason, access.reason) == ("SESSION_REVOKED", "SESSION_REVOKED")


async def test_refreshes_at_once_under_one_request_agree(edge: Edge) -> None:
    """The same refresh four times at once has one successor, and the session lives."""
    session = (await sign_in(edge, secrets.token_bytes(16))).session
    request_id = str(uuid4())

    async def once() -> str:
        token: str = (await refresh(edge, session.refresh_token, request_id)).session.refresh_token
        return token

    successors = set(await asyncio.gather(*(once() for _ in range(4))))

    assert len(successors) == 1
    await refresh(edge, successors.pop())


async def test_a_request_refreshes_with_one_token_only(edge: Edge) -> None:
    """The request_id of the last refresh cannot trade the next token."""
    session = (await sign_in(edge, secrets.token_bytes(16))).session
    renewed = (await refresh(edge, session.refresh_token, "again")).session

    refusal = await refused(refresh(edge, renewed.refresh_token, "again"))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "REQUEST_ID_REUSED")


@pytest.mark.parametrize("token", ["x", "a" * 70, "é", "=" * 5, "a" * 5_000])
async def test_garbage_refreshes_nothing(edge: Edge, token: str) -> None:
    """What we did not sign is REFRESH_INVALID."""
    refusal = await refused(refresh(edge, token))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "REFRESH_INVALID")


async def test_a_session_ends_thirty_days_after_its_last_refresh(edge: Edge) -> None:
    """Refreshing moves the end; without it the refresh token expires."""
    session = (await sign_in(edge, secrets.token_bytes(16))).session
    edge.clock.advance(timedelta(days=29))
    renewed = (await refresh(edge, session.refresh_token)).session
    edge.clock.advance(timedelta(days=29))
    renewed = (await refresh(edge, renewed.refresh_token)).session
    edge.clock.advance(timedelta(days=30))

    assert (await refused(refresh(edge, renewed.refresh_token))).reason == "TOKEN_EXPIRED"


async def test_signing_out_ends_one_session_and_may_be_repeated(edge: Edge) -> None:
    """Access and refresh are refused at once; the repeat gets its first answer; another device goes on."""
    device, request_id = secrets.token_bytes(16), str(uuid4())
    ended, kept = (await sign_in(edge, device)).session, (await sign_in(edge, device)).session

    await sign_out(edge, ended, request_id=request_id)
    await sign_out(edge, ended, request_id=request_id)

    assert (await refused(own_profile(edge, ended))).reason == "SESSION_REVOKED"
    assert (await refused(refresh(edge, ended.refresh_token))).reason == "SESSION_REVOKED"
    assert (await refused(sign_out(edge, ended))).reason == "SESSION_REVOKED"
    other_body = sign_out(edge, ended, request_id=request_id, all_sessions=True)
    assert (await refused(other_body)).reason == "REQUEST_ID_REUSED"
    await own_profile(edge, kept)


async def test_signing_out_everywhere_ends_all_sessions(edge: Edge) -> None:
    """All sessions of the player end, and nobody else's; a repeat of an old sign-in opens nothing."""
    device, request_id = secrets.token_bytes(16), str(uuid4())
    one, two = (await sign_in(edge, device, request_id)).session, (await sign_in(edge, device)).session
    other = (await sign_in(edge, secrets.token_bytes(16))).session

    await sign_out(edge, one, all_sessions=True)

    for session in (one, two):
        assert (await refused(own_profile(edge, session))).reason == "SESSION_REVOKED"
    assert (await refused(sign_in(edge, device, request_id))).reason == "SESSION_REVOKED"
    await own_profile(edge, other)


async def test_renaming_is_repeat_safe_and_names_are_unique(edge: Edge) -> None:
    """A repeat gets its first answer; a look-alike of another's name is taken, of one's own it is not."""
    ana, bob = await sign_in(edge, secrets.token_bytes(16)), await sign_in(edge, secrets.token_bytes(16))
    request_id = str(uuid4())

    first = await rename(edge, ana, "  Ana   Maria ", request_id=request_id)
    await rename(edge, ana, "Ana Later")
    repeated = await rename(edge, ana, "  Ana   Maria ", request_id=request_id)
    other_body = await refused(rename(edge, ana, "Somebody", request_id=request_id))
    taken = await refused(rename(edge, bob, "АNА LАТЕR"))  # noqa: RUF001 Cyrillic letters that look alike

    assert first.profile.display_name == "Ana Maria"
    assert repeated == first
    assert other_body.reason == "REQUEST_ID_REUSED"
    assert (taken.code, taken.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NAME_TAKEN")
    assert (await rename(edge, ana, "ANA LATER")).profile.display_name == "ANA LATER"
    assert (await rename(edge, bob, "Ana Maria")).profile.display_name == "Ana Maria"


async def test_one_name_asked_for_at_once_goes_to_one_player(edge: Edge) -> None:
    """Four players ask for one name at the same time; one gets it."""
    players = [await sign_in(edge, secrets.token_bytes(16)) for _ in range(4)]

    async def attempt(player: pb.SignInResponse) -> str:
        try:
            await rename(edge, player, "Contested")
        except grpc.aio.AioRpcError as error:
            return error.code().name
        return "OK"

    outcomes = sorted(await asyncio.gather(*(attempt(player) for player in players)))

    assert outcomes == ["FAILED_PRECONDITION"] * 3 + ["OK"]


async def test_bad_changes_of_profiles_name_what_is_wrong(edge: Edge) -> None:
    """Another's profile, other masks and names that are not allowed are refused."""
    ana, bob = await sign_in(edge, secrets.token_bytes(16)), await sign_in(edge, secrets.token_bytes(16))

    theirs = await refused(rename(edge, ana, "Mine", name=bob.profile.name))
    mask = await refused(rename(edge, ana, "Mine", update_mask=FieldMask(paths=["display_name", "name"])))
    hidden = await refused(rename(edge, ana, "Ana\u200bMaria"))

    assert (theirs.code, theirs.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_YOURS")
    assert mask.field == "update_mask"
    assert hidden.field == "profile.display_name"


async def test_profiles_are_read_one_by_one_and_in_batches(edge: Edge) -> None:
    """Unknown players are NOT_FOUND alone and left out of a batch; services may read, but have no `me`."""
    ana, bob = await sign_in(edge, secrets.token_bytes(16)), await sign_in(edge, secrets.token_bytes(16))
    stub = AccountServiceStub(edge.channel)
    nobody = f"players/{uuid4()}"

    batch = pb.BatchGetProfilesRequest(names=[bob.profile.name, nobody, ana.profile.name])
    response = await stub.BatchGetProfiles(batch, metadata=edge.as_service())
    absent = await refused(stub.GetProfile(pb.GetProfileRequest(name=nobody), metadata=edge.as_service()))
    me = await refused(stub.GetProfile(pb.GetProfileRequest(name="players/me"), metadata=edge.as_service()))
    many = pb.BatchGetProfilesRequest(names=[nobody] * 201)

    assert [profile.name for profile in response.profiles] == [bob.profile.name, ana.profile.name]
    assert absent.code == grpc.StatusCode.NOT_FOUND
    assert me.reason == "FIELD_INVALID"
    assert (await refused(stub.BatchGetProfiles(many, metadata=edge.as_service()))).field == "names"
    for name in ("players/", "players/x", "matches/" + str(uuid4()), "players/" + str(uuid4()).upper()):
        refusal = await refused(stub.GetProfile(pb.GetProfileRequest(name=name), metadata=edge.as_service()))
        assert (refusal.reason, refusal.field) == ("FIELD_INVALID", "name")


async def test_a_service_may_not_call_what_is_a_players(edge: Edge) -> None:
    """A service's token on a PLAYER method is PERMISSION_DENIED."""
    request = pb.SignOutRequest(request_id=str(uuid4()))

    refusal = await refused(AccountServiceStub(edge.channel).SignOut(request, metadata=edge.as_service()))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "AUDIENCE")
