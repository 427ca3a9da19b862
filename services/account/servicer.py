"""The gRPC edge of the account service."""

from __future__ import annotations

from typing import Any, Final

import grpc

from libs.eventsourcing.envelope import Part
from libs.eventstore.loops import event_core_loops
from libs.eventstore.port import RequestReused
from libs.pb.sparrow.account.v1 import account_service_pb2 as pb
from libs.pb.sparrow.account.v1 import account_service_pb2_grpc as pb_grpc
from libs.pb.sparrow.account.v1.club_service_pb2_grpc import add_ClubServiceServicer_to_server
from libs.runtime.errors import Refused, invalid_field
from libs.runtime.names import parse_player
from libs.runtime.request import check_request_id, current_player, write_request
from libs.runtime.revocation_beacon import tell_revoked
from libs.runtime.service import Loop, Runtime, Service
from libs.runtime.tokens import access_token
from services.account.clubs.registry import Clubs
from services.account.clubs.servicer import ClubServicer
from services.account.domain.display_names import NameFault, parse_display_name
from services.account.domain.refresh_tokens import make_refresh_token, read_refresh_token
from services.account.domain.sessions import Refusal, Session
from services.account.loops import readiness, revoked_sessions_loop
from services.account.registry import NameTaken, Registry
from services.account.wire import profile_message, session_message, wrong_name

Context = grpc.aio.ServicerContext[Any, Any]

DEVICE_KEY_BYTES: Final = range(16, 65)
PROFILES_MAX: Final = 200
REFUSED: Final = {
    Refusal.REVOKED: ("SESSION_REVOKED", "this session was signed out: sign in again"),
    Refusal.EXPIRED: ("TOKEN_EXPIRED", "this session has expired: sign in again"),
    Refusal.REUSED: ("REFRESH_REUSED", "this refresh token was used before: the session has ended"),
    Refusal.REQUEST_REUSED: ("REQUEST_ID_REUSED", "this request_id refreshed with another token before"),
}


class AccountServicer(pb_grpc.AccountServiceServicer):
    """Signs players in and keeps their profiles."""

    def __init__(self, runtime: Runtime, registry: Registry) -> None:
        self._runtime = runtime
        self._registry = registry
        self._refresh_secret = runtime.keys.derive("refresh-tokens")

    async def SignIn(self, request: pb.SignInRequest, context: Context) -> pb.SignInResponse:
        """Open a session for a device; its first contact creates the profile."""
        if len(request.device_key) not in DEVICE_KEY_BYTES:
            raise invalid_field("device_key", "16 to 64 bytes")
        request_id = check_request_id(request.request_id)
        outcome = await self._registry.sign_in(request.device_key, request_id, self._runtime.clock.now())
        if isinstance(outcome, Refusal):
            raise Refused(*REFUSED[outcome])
        opened, profile = outcome
        return pb.SignInResponse(
            session=self._tokens(opened.session),
            profile=profile_message(profile),
            created=opened.created_account,
        )

    async def RefreshSession(
        self, request: pb.RefreshSessionRequest, context: Context
    ) -> pb.RefreshSessionResponse:
        """Trade a refresh token for the next pair of tokens."""
        request_id = check_request_id(request.request_id)
        shown = read_refresh_token(self._refresh_secret, request.refresh_token)
        if shown is None:
            raise Refused("REFRESH_INVALID", "the refresh token is not one of ours")
        session, ended = await self._registry.refresh(*shown, request_id, self._runtime.clock.now())
        await self._tell(ended)
        if session is None:
            raise Refused("REFRESH_INVALID", "there is no such session any more")
        if isinstance(session, Refusal):
            raise Refused(*REFUSED[session])
        return pb.RefreshSessionResponse(session=self._tokens(session))

    async def SignOut(self, request: pb.SignOutRequest, context: Context) -> pb.SignOutResponse:
        """End the calling session, or all sessions of the player."""
        player = current_player()
        ended = await self._registry.sign_out(
            write_request(context, request),
            player.account_id,
            player.session_id,
            everywhere=request.all_sessions,
            now=self._runtime.clock.now(),
        )
        if isinstance(ended, Refusal):
            raise Refused(*REFUSED[ended])
        if isinstance(ended, RequestReused):
            raise _request_reused()
        await self._tell(ended)
        return pb.SignOutResponse()

    async def GetProfile(self, request: pb.GetProfileRequest, context: Context) -> pb.GetProfileResponse:
        """Return one profile."""
        account_id = parse_player("name", request.name, allow_me=True)
        profile = (await self._registry.profiles([account_id])).get(account_id)
        if profile is None:
            raise Refused("NOT_FOUND", f"there is no player {request.name}", {"name": request.name})
        return pb.GetProfileResponse(profile=profile_message(profile))

    async def BatchGetProfiles(
        self, request: pb.BatchGetProfilesRequest, context: Context
    ) -> pb.BatchGetProfilesResponse:
        """Return the profiles that exist, in the order asked."""
        if len(request.names) > PROFILES_MAX:
            raise invalid_field("names", f"at most {PROFILES_MAX}")
        ids = [
            parse_player(f"names[{index}]", name, allow_me=True) for index, name in enumerate(request.names)
        ]
        found = await self._registry.profiles(ids)
        return pb.BatchGetProfilesResponse(
            profiles=[profile_message(found[account_id]) for account_id in ids if account_id in found]
        )

    async def UpdateProfile(
        self, request: pb.UpdateProfileRequest, context: Context
    ) -> pb.UpdateProfileResponse:
        """Change the caller's display name."""
        key = write_request(context, request)
        account_id = current_player().account_id
        if parse_player("profile.name", request.profile.name, allow_me=True) != account_id:
            raise Refused("NOT_YOURS", "players change their own profile only")
        if list(request.update_mask.paths) != ["display_name"]:
            raise invalid_field("update_mask", 'only "display_name" can be changed')
        name = parse_display_name(request.profile.display_name)
        if isinstance(name, NameFault):
            raise wrong_name("profile.display_name", name)
        reply = await self._registry.rename(
            key,
            account_id,
            name,
            lambda profile: pb.UpdateProfileResponse(profile=profile_message(profile)).SerializeToString(),
            self._runtime.clock.now(),
        )
        if reply is None:
            raise Refused("NOT_FOUND", "there is no such player")
        if isinstance(reply, NameTaken):
            raise Refused("NAME_TAKEN", "another player has this name, or one that looks like it")
        if isinstance(reply, RequestReused):
            raise _request_reused()
        return pb.UpdateProfileResponse.FromString(reply)

    def _tokens(self, session: Session) -> Any:
        """Return the session's message with a fresh access token and its generation's refresh token."""
        access = access_token(
            self._runtime.keys, session.account_id, session.session_id, self._runtime.clock.now()
        )
        refresh = make_refresh_token(self._refresh_secret, session.session_id, session.generation)
        return session_message(session, access, refresh)

    async def _tell(self, ended: list[Any]) -> None:
        """Refuse the ended sessions here at once, and elsewhere as soon as they hear it."""
        self._runtime.revocations.revoke(ended, self._runtime.clock.now())
        await tell_revoked(self._runtime.bus, ended)


async def bind(runtime: Runtime) -> Service:
    """Compose the service."""
    database = await runtime.open_database("account")
    registry = Registry(database, runtime.randomness)
    servicer = AccountServicer(runtime, registry)
    clubs = ClubServicer(runtime, Clubs(database, runtime.randomness))
    core = event_core_loops(
        database, runtime.bus, "account", runtime.holder, (Part.FACTS,), site=runtime.settings.site
    )

    def register(server: grpc.aio.Server) -> None:
        pb_grpc.add_AccountServiceServicer_to_server(servicer, server)
        add_ClubServiceServicer_to_server(clubs, server)

    return Service(
        name="account",
        grpc_names=("sparrow.account.v1.AccountService", "sparrow.account.v1.ClubService"),
        register=register,
        working=(
            *(Loop(name, run) for name, run in core),
            revoked_sessions_loop(registry, runtime.bus, runtime.clock),
        ),
        ready=readiness(registry, runtime.clock, runtime.revocations),
        feed=database.feed,
    )


def _request_reused() -> Refused:
    return Refused("REQUEST_ID_REUSED", "this request_id was used with another request before")
