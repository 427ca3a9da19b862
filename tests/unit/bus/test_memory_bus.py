"""The memory twin keeps the bus contract."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from libs.bus.memory import MemoryBus, subject_matches
from libs.bus.port import BusUnavailable, PullLost
from tests.support.bus_contract import BusContract, a_stream, put


class TestMemoryBus(BusContract):
    """The suite on the twin."""

    @pytest.fixture
    async def bus(self) -> AsyncIterator[MemoryBus]:
        """A fresh twin."""
        bus = MemoryBus()
        yield bus
        await bus.close()


@pytest.mark.parametrize(
    ("pattern", "subject", "matches"),
    [
        ("a.b", "a.b", True),
        ("a.b", "a.b.c", False),
        ("a.*", "a.b", True),
        ("a.*", "a", False),
        ("a.>", "a.b.c", True),
        ("a.>", "a", False),
        ("*.b", "a.b", True),
        ("*.b", "a.c", False),
    ],
)
def test_subjects_match_as_in_nats(pattern: str, subject: str, matches: bool) -> None:
    """`*` stands for one token, a final `>` for one or more."""
    assert subject_matches(pattern, subject) is matches


async def test_a_cut_twin_is_unavailable() -> None:
    """While it is down everything that needs an answer raises; what needs none is silent."""
    bus = MemoryBus()
    settings = a_stream()
    await bus.ensure_stream(settings)
    pull = await bus.pull(settings.name, "d")
    bus.down = True

    with pytest.raises(BusUnavailable):
        await put(bus, settings, "a")
    with pytest.raises(BusUnavailable):
        await pull.fetch(1, 0.1)
    await bus.send("anything", b"")


async def test_a_wiped_twin_loses_its_durables() -> None:
    """After a wipe a hand learns that its durable consumer is gone."""
    bus = MemoryBus()
    settings = a_stream()
    await bus.ensure_stream(settings)
    pull = await bus.pull(settings.name, "d")
    bus.wipe()

    with pytest.raises(PullLost):
        await pull.fetch(1, 0.1)
