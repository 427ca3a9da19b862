"""The gRPC edge of fair play."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final, TypeAlias
from uuid import UUID

import grpc
from google.protobuf.message import Message

from libs.eventstore.postgres.database import Database
from libs.pb.sparrow.match.v1 import fair_play_service_pb2 as pb
from libs.pb.sparrow.match.v1 import fair_play_service_pb2_grpc as pb_grpc
from libs.runtime.caller import CALLER, Operator
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused, invalid_field
from libs.runtime.names import parse_match, parse_player
from libs.runtime.paging import PAGE_VALID_S, listing, page_size
from libs.runtime.request import current_player, write_request
from libs.runtime.tokens import OpaqueTokens
from services.match.domain.fair_play.flags import Dismissal, Flag
from services.match.domain.fair_play.reporting import Closing, Report
from services.match.fairplay import store
from services.match.fairplay.flag_store import place_of
from services.match.fairplay.flags import Flags
from services.match.fairplay.reports import Reports
from services.match.wire.fair_play import (
    flag_message,
    parse_flag,
    parse_reason,
    parse_report,
    parse_words,
    report_message,
    report_name,
    statistics_message,
)

Context: TypeAlias = grpc.aio.ServicerContext[Any, Any]
GRPC_NAME: Final = "sparrow.match.v1.FairPlayService"
DAYS: Final = 28
PAGE_SIZE: Final = 50
PAGE_SIZE_MAX: Final = 200
FLAGS_PAGE: Final = "page.flags"
REPORTS_PAGE: Final = "page.reports"


class FairPlayServicer(pb_grpc.FairPlayServiceServicer):
    """Takes reports from players; shows figures, flags and reports to operators."""

    def __init__(
        self, database: Database, flags: Flags, reports: Reports, clock: Clock, opaque: OpaqueTokens
    ) -> None:
        self._database = database
        self._flags = flags
        self._reports = reports
        self._clock = clock
        self._opaque = opaque

    async def ReportPlayer(
        self, request: pb.ReportPlayerRequest, context: Context
    ) -> pb.ReportPlayerResponse:
        """Take a report."""
        write, reporter = write_request(context, request), current_player().account_id
        about = parse_player("player", request.player)
        if about == reporter:
            raise invalid_field("player", "another player, not oneself")
        reply = await self._reports.report(
            reporter,
            about,
            parse_match("match", request.match) if request.match else None,
            parse_reason(request.reason),
            parse_words("text", request.text),
            write,
            lambda report_id: pb.ReportPlayerResponse(name=report_name(report_id)).SerializeToString(),
            self._clock.now(),
        )
        return pb.ReportPlayerResponse.FromString(reply)

    async def GetPlayStatistics(
        self, request: pb.GetPlayStatisticsRequest, context: Context
    ) -> pb.GetPlayStatisticsResponse:
        """Tell a player's figures."""
        account_id = parse_player("player", request.player)
        if request.days < 0:
            raise invalid_field("days", "not negative")
        days = min(request.days or DAYS, store.DAYS_KEPT)
        since = self._clock.now().date() - timedelta(days=days - 1)
        async with self._database.engine.connect() as connection:
            figures = await store.read(connection, account_id, since)
        return pb.GetPlayStatisticsResponse(statistics=statistics_message(figures))

    async def ListPlayFlags(
        self, request: pb.ListPlayFlagsRequest, context: Context
    ) -> pb.ListPlayFlagsResponse:
        """Page through flags."""
        size = page_size(request.page_size, PAGE_SIZE, PAGE_SIZE_MAX)
        before = self._before(FLAGS_PAGE, request, request.page_token)
        of = parse_player("player", request.player) if request.player else None
        found = await self._flags.page(size + 1, of=of, with_dismissed=request.with_dismissed, before=before)
        response = pb.ListPlayFlagsResponse(flags=map(flag_message, found[:size]))
        if len(found) > size:
            response.next_page_token = self._token(FLAGS_PAGE, request, place_of(found[size - 1]))
        return response

    async def DismissPlayFlag(
        self, request: pb.DismissPlayFlagRequest, context: Context
    ) -> pb.DismissPlayFlagResponse:
        """Dismiss a flag."""
        write, reason = write_request(context, request), parse_words("reason", request.reason)
        if not reason:
            raise invalid_field("reason", "not empty")
        dismissal = Dismissal(_operator(), reason, self._clock.now())
        reply = await self._flags.dismiss(parse_flag("name", request.name), dismissal, write, _dismissed)
        return pb.DismissPlayFlagResponse.FromString(reply)

    async def ListPlayerReports(
        self, request: pb.ListPlayerReportsRequest, context: Context
    ) -> pb.ListPlayerReportsResponse:
        """Page through reports."""
        size = page_size(request.page_size, PAGE_SIZE, PAGE_SIZE_MAX)
        before = self._before(REPORTS_PAGE, request, request.page_token)
        found = await self._reports.page(
            size + 1,
            about=parse_player("player", request.player) if request.player else None,
            with_closed=request.with_closed,
            before=None if before is None else UUID(before["before"]),
        )
        response = pb.ListPlayerReportsResponse(reports=map(report_message, found[:size]))
        if len(found) > size:
            last = {"before": str(found[size - 1].report_id)}
            response.next_page_token = self._token(REPORTS_PAGE, request, last)
        return response

    async def ClosePlayerReport(
        self, request: pb.ClosePlayerReportRequest, context: Context
    ) -> pb.ClosePlayerReportResponse:
        """Close a report."""
        write = write_request(context, request)
        closing = Closing(_operator(), parse_words("finding", request.finding), self._clock.now())
        reply = await self._reports.close(parse_report("name", request.name), closing, write, _closed)
        return pb.ClosePlayerReportResponse.FromString(reply)

    def _before(self, kind: str, request: Message, token: str) -> Mapping[str, str] | None:
        """Where the page before ended; None for the first one."""
        if not token:
            return None
        return self._opaque.open(kind, token, self._clock.now(), bound_to=listing(request))

    def _token(self, kind: str, request: Message, last: Mapping[str, str]) -> str:
        return self._opaque.seal(kind, dict(last), self._clock.now(), PAGE_VALID_S, bound_to=listing(request))


def _operator() -> str:
    """The name of the operator who calls. Raises Refused AUDIENCE."""
    caller = CALLER.get()
    if not isinstance(caller, Operator):
        raise Refused("AUDIENCE", "this is for operators only")
    return caller.name


def _dismissed(flag: Flag) -> bytes:
    return pb.DismissPlayFlagResponse(flag=flag_message(flag)).SerializeToString()


def _closed(report: Report) -> bytes:
    return pb.ClosePlayerReportResponse(report=report_message(report)).SerializeToString()
