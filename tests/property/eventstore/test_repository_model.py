"""The repository against a naive model: whatever is sent, in any order, repeated or not, from any replica."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.chain import CHAIN_START, verify_feed
from libs.eventstore.memory import MemoryEventStore, MemorySequencer
from libs.eventstore.port import RequestReused
from libs.eventstore.repository import Accepted
from tests.support.store_contract import NOW, request, stream
from tests.support.tally import LIMIT, Add, Added, Refusal, Tallies, tallies

REPLICAS = 2


@dataclass(frozen=True)
class Command:
    """Something a client sends: few streams, few keys and few bodies, so that they meet."""

    replica: int
    stream: int
    key: int
    amounts: tuple[int, ...]

    async def send(self, replicas: list[Tallies]) -> object:
        """Send it with a hash over the whole body."""
        key = request(f"r{self.key}", f"{self.stream} {self.amounts}")
        return await replicas[self.replica].execute(
            stream(self.stream), Add(self.amounts), request=key, now=NOW
        )


@dataclass
class Model:
    """What must come out, told as plainly as can be."""

    streams: dict[int, list[int]] = field(default_factory=dict)
    accepted: dict[int, tuple[Command, int, int]] = field(default_factory=dict)  # key: command, state, first

    def send(self, command: Command) -> object:
        """Return what the repository must answer, and do it."""
        amounts = self.streams.setdefault(command.stream, [])
        if command.key in self.accepted:
            earlier, state, first = self.accepted[command.key]
            if (earlier.stream, earlier.amounts) != (command.stream, command.amounts):
                return RequestReused()
            return "repeated", state, first, command.amounts
        if sum(amounts) + sum(command.amounts) > LIMIT:
            return Refusal.OVER_LIMIT
        if command.amounts:
            state = sum(amounts) + sum(command.amounts)
            self.accepted[command.key] = (command, state, len(amounts) + 1)
        amounts.extend(command.amounts)
        return "accepted", sum(amounts), len(amounts) - len(command.amounts) + 1, command.amounts


COMMANDS = st.builds(
    Command,
    replica=st.integers(0, REPLICAS - 1),
    stream=st.integers(1, 3),
    key=st.integers(1, 8),
    amounts=st.lists(st.integers(-3, 5), max_size=3).map(tuple),
)


def plain(answer: object) -> object:
    """Return an answer in the model's words."""
    if not isinstance(answer, Accepted):
        return answer
    first = answer.events[0].version if answer.events else answer.version + 1
    amounts = tuple(each.event.amount for each in answer.events if isinstance(each.event, Added))
    return "repeated" if answer.repeated else "accepted", answer.state, first, amounts


@settings(max_examples=300, deadline=None)
@given(st.lists(COMMANDS, max_size=25))
def test_one_after_the_other_answers_are_the_models(commands: list[Command]) -> None:
    """Sent one by one over two replicas, every answer and every final state is the model's."""

    async def run() -> None:
        store, model = MemoryEventStore(), Model()
        replicas = [tallies(store, states_max=2) for _ in range(REPLICAS)]
        for command in commands:
            assert plain(await command.send(replicas)) == model.send(command)
        for number, amounts in model.streams.items():
            assert await replicas[0].state(stream(number)) == (sum(amounts), len(amounts))

    asyncio.run(run())


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(COMMANDS, min_size=1, max_size=6), max_size=6))
def test_at_once_every_key_is_accepted_at_most_once(rounds: list[list[Command]]) -> None:
    """Sent several at once, a key is newly accepted once, its repeats agree, and the log holds just that."""

    async def run() -> None:
        store = MemoryEventStore()
        replicas = [tallies(store) for _ in range(REPLICAS)]
        accepted: dict[int, Accepted[int, Added]] = {}
        for commands in rounds:
            answers = await asyncio.gather(*(command.send(replicas) for command in commands))
            pairs = [
                (command.key, answer)
                for command, answer in zip(commands, answers, strict=True)
                if isinstance(answer, Accepted) and answer.events
            ]
            for key, answer in pairs:
                if not answer.repeated:
                    assert key not in accepted
                    accepted[key] = answer
            for key, answer in pairs:
                first = accepted[key]
                assert (answer.state, answer.events) == (first.state, first.events)
        stored = sum(len(events) for events in store.streams.values())
        assert stored == sum(len(answer.events) for answer in accepted.values())
        await _feed_is_sound(store, stored)

    asyncio.run(run())


async def _feed_is_sound(store: MemoryEventStore, stored: int) -> None:
    await MemorySequencer(store, Part.FACTS, lambda: NOW).step(1)
    entries = await store.feed.read(Part.FACTS, 1)
    assert len(entries) == stored
    assert stored == 0 or isinstance(verify_feed(entries, CHAIN_START), FeedEntry)
    assert all(sum(int(event.data) for event in events) <= LIMIT for events in store.streams.values())
