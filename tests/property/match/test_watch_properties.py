"""Whatever happens in whichever order, a stream shows every command once and in order."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from libs.bus.topology import live_subject
from libs.eventsourcing.following import Change, End, Snapshot
from tests.support.attempts import ROW, leave, start
from tests.support.watched_attempt import ATTEMPT, AttemptChange, AttemptSeen, Table

STEPS = st.lists(
    st.sampled_from(["open", "resume", "told", "untold", "hinted", "told_late", "look", "turn"]), max_size=25
)


@settings(max_examples=150, deadline=None)
@given(steps=STEPS)
def test_every_stream_is_without_gap_and_without_repetition(steps: list[str]) -> None:
    """Commits that are told, told late, hinted at or kept secret; streams opened and resumed in between."""
    asyncio.run(_play(steps))


async def _play(steps: list[str]) -> None:
    table = Table()
    await table.commit(start(ROW, "1m 2m 2m 1m"))
    stop = asyncio.Event()
    running = asyncio.create_task(table.hub.run(stop))
    streams: list[tuple[int | None, asyncio.Task[list[AttemptSeen]]]] = []
    late: list[AttemptChange] = []
    for step in steps:
        if step in ("open", "resume"):
            resumed_from = 1 + table.version // 2 if step == "resume" else None
            streams.append((resumed_from, asyncio.create_task(_read(table, resumed_from))))
        elif step == "look":
            await table.hub.look()
        elif step == "turn":
            await asyncio.sleep(0)
        else:
            [change] = await table.play(1)
            late.append(change)
            if step == "told":
                table.hub.offer(ATTEMPT, change)
            elif step == "hinted":
                await table.bus.send(live_subject(ATTEMPT), b"%d" % change.version)
            elif step == "told_late":
                table.hub.offer(ATTEMPT, late[len(late) // 2])
    last = await table.commit(leave())
    table.hub.offer(ATTEMPT, last)
    for resumed_from, reading in streams:
        _check(resumed_from, await asyncio.wait_for(reading, 30), last.version)
    stop.set()
    await running
    assert table.hub.topic_count == 0


async def _read(table: Table, after_version: int | None) -> list[AttemptSeen]:
    return [seen async for seen in table.follow(after_version)]


def _check(resumed_from: int | None, seen: list[AttemptSeen], last: int) -> None:
    assert isinstance(seen[-1], End)
    if resumed_from is None:
        assert isinstance(seen[0], Snapshot)
        resumed_from = seen.pop(0).version
    assert [each.version for each in seen[:-1]] == list(range(resumed_from + 1, last + 1))
    assert all(isinstance(each, Change) for each in seen[:-1])
