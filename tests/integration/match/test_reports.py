"""Reports of players about players: taken once, a few a day, listed and closed by operators."""

from __future__ import annotations

import asyncio
from datetime import UTC, timedelta
from uuid import uuid4

import grpc
import pytest

from libs.pb.sparrow.match.v1 import fair_play_pb2
from libs.pb.sparrow.match.v1 import fair_play_service_pb2 as pb
from tests.support.edge import Edge, refused
from tests.support.fair_play import AUTOMATION, close, fair_play, report, reports
from tests.support.level_player import LevelPlayer

pytestmark = pytest.mark.timeout(120)
REASONS = [
    fair_play_pb2.REPORT_REASON_PERSONAL_INFORMATION,
    fair_play_pb2.REPORT_REASON_AUTOMATION,
    fair_play_pb2.REPORT_REASON_CONNECTION_EXPLOIT,
    fair_play_pb2.REPORT_REASON_ABUSE,
    fair_play_pb2.REPORT_REASON_OTHER,
]


async def test_a_player_reports_another_for_one_of_five_reasons(
    edge: Edge, ana: LevelPlayer, ben: LevelPlayer
) -> None:
    """With the match or without; an operator sees who, whom, where, why, when and the words as they are."""
    match = (await ben.start(1)).name
    await report(ana, ben.name, match, reason=REASONS[0], text="  <b>his \u00e9 address</b> ")
    for reason in REASONS[1:]:
        other = LevelPlayer(edge)
        await other.start(1)
        await report(ana, other.name, reason=reason)
    seen = await reports(edge)

    assert sorted(each.reason for each in seen) == sorted(REASONS)
    (first,) = (each for each in seen if each.reason == REASONS[0])
    assert (first.reporter, first.player, first.match) == (ana.name, ben.name, match)
    assert first.text == "<b>his \u00e9 address</b>"
    assert first.create_time.ToDatetime(UTC) == edge.clock.now()
    assert not first.HasField("close_time")
    assert [each.name for each in await reports(edge, ben.name)] == [first.name]


async def test_a_report_is_repeat_safe(edge: Edge, ana: LevelPlayer, ben: LevelPlayer) -> None:
    """The same request again, also at once, is one report with one answer; with other words it is refused."""
    await ben.start(1)
    request_id = str(uuid4())
    names = await asyncio.gather(*(report(ana, ben.name, request_id=request_id, text="x") for _ in range(8)))
    reused = await refused(report(ana, ben.name, request_id=request_id, text="y"))

    assert len(set(names)) == 1
    assert [each.name for each in await reports(edge)] == [names[0]]
    assert reused.reason == "REQUEST_ID_REUSED"


async def test_one_report_about_a_player_and_a_match_is_open_at_a_time(
    edge: Edge, ana: LevelPlayer, ben: LevelPlayer
) -> None:
    """Another match is another report, and so is another reporter, and the same after it was closed."""
    matches = [(await ben.start(1)).name for _ in range(2)]
    first = await report(ana, ben.name, matches[0])
    answers = await asyncio.gather(*(refused(report(ana, ben.name, matches[0])) for _ in range(3)))
    await report(ana, ben.name, matches[1])
    await report(ana, ben.name)
    await report(LevelPlayer(edge), ben.name, matches[0])
    await close(edge, first)
    again = await report(ana, ben.name, matches[0])

    assert {each.reason for each in answers} == {"ALREADY_REPORTED"}
    assert again != first
    assert len(await reports(edge)) == 4
    assert len(await reports(edge, closed=True)) == 5


async def test_a_player_makes_so_many_reports_in_24_hours(
    edge: Edge, ana: LevelPlayer, ben: LevelPlayer
) -> None:
    """Closing one gives none back; a day after the first there is room for one; a repeat takes none."""
    matches = [(await ben.start(1)).name for _ in range(edge.settings.reports_per_day + 2)]
    request_id = str(uuid4())
    first = await report(ana, ben.name, matches[0], request_id=request_id)
    edge.clock.advance(timedelta(hours=1))
    for match in matches[1 : edge.settings.reports_per_day]:
        await report(ana, ben.name, match)
    await close(edge, first)
    answer = await refused(report(ana, ben.name, matches[-1]))
    assert await report(ana, ben.name, matches[0], request_id=request_id) == first
    await report(LevelPlayer(edge), ben.name, matches[-1])
    edge.clock.advance(timedelta(hours=23))
    await report(ana, ben.name, matches[-2])

    assert (answer.reason, answer.code) == ("RATE_LIMIT", grpc.StatusCode.RESOURCE_EXHAUSTED)
    assert answer.retry_after_ms == 23 * 60 * 60 * 1_000
    assert (await refused(report(ana, ben.name, matches[-1]))).reason == "RATE_LIMIT"


async def test_only_another_player_who_was_there_can_be_reported(
    edge: Edge, ana: LevelPlayer, ben: LevelPlayer
) -> None:
    """Not oneself, not somebody who never played, not about a match of others or of nobody."""
    of_ana, of_ben = (await ana.start(1)).name, (await ben.start(1)).name
    nobody = f"players/{uuid4()}"
    answers = [
        await refused(report(ana, ana.name, of_ana)),
        await refused(report(ana, nobody)),
        await refused(report(ana, ben.name, of_ana)),
        await refused(report(ana, ben.name, f"matches/{uuid4()}")),
    ]

    assert [each.reason for each in answers] == ["FIELD_INVALID", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"]
    assert answers[0].field == "player"
    assert await report(ana, ben.name, of_ben)


@pytest.mark.parametrize(
    ("text", "reason", "field"),
    [
        ("x" * 501, AUTOMATION, "text"),
        ("\n".join("abcdefghijk"), AUTOMATION, "text"),
        ("\x1b[2J", AUTOMATION, "text"),
        ("", fair_play_pb2.REPORT_REASON_UNSPECIFIED, "reason"),
        ("", 99, "reason"),
    ],
)
async def test_reasons_and_words_are_checked(
    edge: Edge, ana: LevelPlayer, text: str, reason: fair_play_pb2.ReportReason.ValueType, field: str
) -> None:
    """The field is named, and nothing is kept."""
    answer = await refused(report(ana, f"players/{uuid4()}", reason=reason, text=text))

    assert (answer.reason, answer.field) == ("FIELD_INVALID", field)
    assert await reports(edge, closed=True) == []


async def test_an_operator_closes_a_report_once(edge: Edge, ana: LevelPlayer, ben: LevelPlayer) -> None:
    """With what was found; whoever closes it again is shown how it was closed."""
    await ben.start(1)
    name = await report(ana, ben.name)
    closed = await close(edge, name, "A program plays.", by="ivy", request_id="1")
    edge.clock.advance(timedelta(hours=1))
    repeated = await close(edge, name, "A program plays.", by="ivy", request_id="1")
    later = await close(edge, name, "Nothing.", by="joe")
    unknown = await refused(close(edge, f"reports/{uuid4()}"))

    assert (closed.closed_by, closed.finding) == ("ivy", "A program plays.")
    assert closed == repeated == later
    assert await reports(edge) == []
    assert await reports(edge, closed=True) == [closed]
    assert unknown.reason == "NOT_FOUND"
    assert (await refused(close(edge, "reports/7"))).field == "name"


async def test_reports_come_in_pages(edge: Edge, ana: LevelPlayer, ben: LevelPlayer) -> None:
    """The newest first, each once."""
    names = []
    for _ in range(5):
        edge.clock.advance(timedelta(milliseconds=1))
        names.append(await report(ana, ben.name, (await ben.start(1)).name))
    seen, token = [], ""
    while True:
        request = pb.ListPlayerReportsRequest(page_size=2, page_token=token)
        page = await fair_play(edge).ListPlayerReports(request, metadata=edge.as_operator())
        seen += [each.name for each in page.reports]
        token = page.next_page_token
        if not token:
            break

    assert seen == names[::-1]
