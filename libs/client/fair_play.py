"""Fair play as an operator reads it: figures, flags and reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from libs.client.calls import LIST_DEADLINE_S, Bearer, Calls, Retries
from libs.client.channel import open_channel
from libs.client.operator import fixed_bearer
from libs.client.results import Profile
from libs.client.wire import profile_of
from libs.pb.sparrow.account.v1 import account_service_pb2 as account_wire
from libs.pb.sparrow.account.v1.account_service_pb2_grpc import AccountServiceStub
from libs.pb.sparrow.match.v1 import fair_play_pb2 as pb
from libs.pb.sparrow.match.v1 import fair_play_service_pb2 as wire
from libs.pb.sparrow.match.v1.fair_play_service_pb2_grpc import FairPlayServiceStub


@dataclass(frozen=True, slots=True)
class PlayFigures:
    """What a player did in one mode, on boards of one difficulty."""

    mode: str
    hard: bool
    games: int
    pairs: int
    touches: int
    blocked: int
    crucial_found: int
    crucial_missed_max: int
    pace: tuple[tuple[int, int], ...]
    """(under so many ms, so many pairs), in order; 0 ms: no bound."""


@dataclass(frozen=True, slots=True)
class PlayFlag:
    """Figures that look like no person's: `hits` of `trials`. The reason is foreign: escape it."""

    name: str
    player: str
    mode: str
    rule: str
    hits: int
    trials: int
    first_time: datetime
    last_time: datetime
    dismiss_time: datetime | None
    dismissed_by: str
    dismissal_reason: str


@dataclass(frozen=True, slots=True)
class PlayerReport:
    """What a player says about another. The words are foreign: escape them."""

    name: str
    reporter: str
    player: str
    match: str
    reason: str
    text: str
    create_time: datetime
    close_time: datetime | None
    closed_by: str
    finding: str


class FairPlayOperator:
    """A connection that asks about fair play with an operator's token."""

    def __init__(self, target: str, token: str | Bearer, retries: Retries | None = None) -> None:
        """Take the endpoint and the token; the first call dials."""
        self._channel = open_channel(target)
        self._calls = Calls(fixed_bearer(token), retries if retries is not None else Retries())
        self._stub = FairPlayServiceStub(self._channel)
        self._account = AccountServiceStub(self._channel)

    async def __aenter__(self) -> Self:
        """Use it in `async with`."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        await self._channel.close()

    async def statistics(self, player: str, days: int = 0) -> list[PlayFigures]:
        """Return a player's figures of the last `days`, by mode."""
        request = wire.GetPlayStatisticsRequest(player=player, days=days)
        answer = await self._calls.unary(self._stub.GetPlayStatistics, request, LIST_DEADLINE_S)
        return [_figures(each) for each in answer.statistics]

    async def flags(
        self, player: str = "", *, with_dismissed: bool = False, most: int = 50
    ) -> list[PlayFlag]:
        """Return the newest flags, of one player or of all; at most 200."""
        request = wire.ListPlayFlagsRequest(player=player, page_size=most, with_dismissed=with_dismissed)
        answer = await self._calls.unary(self._stub.ListPlayFlags, request, LIST_DEADLINE_S)
        return [_flag(each) for each in answer.flags]

    async def dismiss_flag(self, name: str, reason: str, request_id: str) -> PlayFlag:
        """Dismiss a flag; the same request again changes nothing and gets its answer."""
        request = wire.DismissPlayFlagRequest(name=name, reason=reason, request_id=request_id)
        answer = await self._calls.unary(self._stub.DismissPlayFlag, request, LIST_DEADLINE_S)
        return _flag(answer.flag)

    async def reports(
        self, player: str = "", *, with_closed: bool = False, most: int = 50
    ) -> list[PlayerReport]:
        """Return the newest reports, about one player or anybody; at most 200."""
        request = wire.ListPlayerReportsRequest(player=player, with_closed=with_closed, page_size=most)
        answer = await self._calls.unary(self._stub.ListPlayerReports, request, LIST_DEADLINE_S)
        return [_report(each) for each in answer.reports]

    async def close_report(self, name: str, finding: str, request_id: str) -> PlayerReport:
        """Close a report; the same request again changes nothing and gets its answer."""
        request = wire.ClosePlayerReportRequest(name=name, finding=finding, request_id=request_id)
        answer = await self._calls.unary(self._stub.ClosePlayerReport, request, LIST_DEADLINE_S)
        return _report(answer.report)

    async def profiles(self, players: Sequence[str]) -> dict[str, Profile]:
        """Return the profiles that exist, by name."""
        if not players:
            return {}
        request = account_wire.BatchGetProfilesRequest(names=sorted(set(players))[:200])
        answer = await self._calls.unary(self._account.BatchGetProfiles, request, LIST_DEADLINE_S)
        return {each.name: profile_of(each) for each in answer.profiles}


def _figures(told: pb.PlayStatistics) -> PlayFigures:
    return PlayFigures(
        _word(pb.PlayMode.Name(told.mode), "PLAY_MODE_"),
        told.hard,
        told.games,
        told.pairs,
        told.touches,
        told.blocked_touches,
        told.crucial_found,
        told.crucial_missed_max,
        tuple((each.under_ms, each.pairs) for each in told.pace),
    )


def _flag(told: pb.PlayFlag) -> PlayFlag:
    return PlayFlag(
        told.name,
        told.player,
        _word(pb.PlayMode.Name(told.mode), "PLAY_MODE_"),
        _word(pb.PlayRule.Name(told.rule), "PLAY_RULE_"),
        told.hits,
        told.trials,
        told.first_time.ToDatetime(UTC),
        told.last_time.ToDatetime(UTC),
        told.dismiss_time.ToDatetime(UTC) if told.HasField("dismiss_time") else None,
        told.dismissed_by,
        told.dismissal_reason,
    )


def _report(told: pb.PlayerReport) -> PlayerReport:
    return PlayerReport(
        told.name,
        told.reporter,
        told.player,
        told.match,
        _word(pb.ReportReason.Name(told.reason), "REPORT_REASON_"),
        told.text,
        told.create_time.ToDatetime(UTC),
        told.close_time.ToDatetime(UTC) if told.HasField("close_time") else None,
        told.closed_by,
        told.finding,
    )


def _word(name: str, prefix: str) -> str:
    return name.removeprefix(prefix).lower().replace("_", " ")
