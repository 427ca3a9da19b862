"""Fair play under test: what was played is put into the feed and counted at once; calls of fair play."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

from libs.eventsourcing.envelope import Part
from libs.eventstore.postgres.database import Database
from libs.eventstore.sequencer import Sequencer
from libs.pb.sparrow.match.v1 import fair_play_pb2
from libs.pb.sparrow.match.v1 import fair_play_service_pb2 as pb
from libs.pb.sparrow.match.v1.fair_play_service_pb2_grpc import FairPlayServiceStub
from services.match.fairplay.parts import thresholds
from services.match.fairplay.projector import FairPlayProjector
from tests.support.edge import Edge
from tests.support.level_player import LevelPlayer, solution

EPOCH = 1
AUTOMATION = fair_play_pb2.REPORT_REASON_AUTOMATION


def match_database(edge: Edge) -> Database:
    """Where the match service keeps its facts."""
    return next(database for database in edge.databases if database.schema == "match")


def projector(edge: Edge) -> FairPlayProjector:
    """The projection, by the settings of the server."""
    window = timedelta(days=edge.settings.fair_play_window_days)
    return FairPlayProjector(match_database(edge), thresholds(edge.settings), window, edge.clock.now)


async def count(edge: Edge, epoch: int = EPOCH) -> int:
    """Sequence and count everything that has ended; return the sequence reached."""
    while await Sequencer(match_database(edge), Part.FACTS).step(epoch):
        pass
    counting = projector(edge)
    reached = await counting.claim(epoch)
    while (further := await counting.step(epoch, reached)) != reached:
        reached = further
    return reached


async def play_level(player: LevelPlayer, level: int, think_ms: int) -> str:
    """Clear a level, thinking so long before each touch; return the attempt's name."""
    match, version = await player.start(level), 0
    for tile in solution(level):
        player.edge.clock.advance(timedelta(milliseconds=think_ms))
        version = (await player.touch(match.name, tile, version)).board_version
    return match.name


def fair_play(edge: Edge) -> Any:
    """The calls."""
    return FairPlayServiceStub(edge.channel)


async def statistics(edge: Edge, player: str, days: int = 0) -> list[fair_play_pb2.PlayStatistics]:
    """A player's figures."""
    request = pb.GetPlayStatisticsRequest(player=player, days=days)
    answer = await fair_play(edge).GetPlayStatistics(request, metadata=edge.as_operator())
    return list(answer.statistics)


async def flags(edge: Edge, player: str = "", *, dismissed: bool = False) -> list[fair_play_pb2.PlayFlag]:
    """The flags, the newest first."""
    request = pb.ListPlayFlagsRequest(player=player, with_dismissed=dismissed)
    return list((await fair_play(edge).ListPlayFlags(request, metadata=edge.as_operator())).flags)


async def dismiss(
    edge: Edge, name: str, reason: str = "A fast hand.", *, by: str = "ana", request_id: str = ""
) -> fair_play_pb2.PlayFlag:
    """Dismiss a flag as an operator."""
    request = pb.DismissPlayFlagRequest(name=name, reason=reason, request_id=request_id or str(uuid4()))
    answer = await fair_play(edge).DismissPlayFlag(request, metadata=edge.as_operator(by))
    return answer.flag  # type: ignore[no-any-return]


async def report(
    by: LevelPlayer,
    about: str,
    match: str = "",
    *,
    reason: fair_play_pb2.ReportReason.ValueType = AUTOMATION,
    text: str = "",
    request_id: str = "",
) -> str:
    """Report a player; return the report's name."""
    request = pb.ReportPlayerRequest(
        player=about, match=match, reason=reason, text=text, request_id=request_id or str(uuid4())
    )
    answer = await fair_play(by.edge).ReportPlayer(request, metadata=by.metadata)
    return str(answer.name)


async def reports(edge: Edge, about: str = "", *, closed: bool = False) -> list[fair_play_pb2.PlayerReport]:
    """The reports, the newest first."""
    request = pb.ListPlayerReportsRequest(player=about, with_closed=closed)
    return list((await fair_play(edge).ListPlayerReports(request, metadata=edge.as_operator())).reports)


async def close(
    edge: Edge, name: str, finding: str = "", *, by: str = "ana", request_id: str = ""
) -> fair_play_pb2.PlayerReport:
    """Close a report as an operator."""
    request = pb.ClosePlayerReportRequest(name=name, finding=finding, request_id=request_id or str(uuid4()))
    answer = await fair_play(edge).ClosePlayerReport(request, metadata=edge.as_operator(by))
    return answer.report  # type: ignore[no-any-return]
