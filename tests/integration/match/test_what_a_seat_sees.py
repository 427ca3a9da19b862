"""Every byte that reaches a seat, against what the seat may know by then.

What may be known is computed from the log by a naive scan over all tiles, not by the code that sends.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from google.protobuf.message import Message

from libs.pb.sparrow.match.v1 import match_pb2
from libs.pb.sparrow.match.v1 import match_service_pb2 as pb
from libs.rules.tiles import ALL_FACES
from services.match.domain.rivals.events import SeatLiftedTile, SeatPutTileBack, SeatRemovedPair
from services.match.domain.rivals.terms import RoundDeal
from tests.support.edge import refused
from tests.support.round_player import Hall, RoundPlayer, quick_matches_served
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[Hall]:
    """The served game."""
    async with quick_matches_served(database_url) as served:
        yield served


@dataclass
class Eyes:
    """What a seat has seen so far: a scan over all tiles after each of its moves."""

    deal: RoundDeal
    present: set[int] = field(default_factory=set)
    known: set[int] = field(default_factory=set)
    lifted: int | None = None

    def __post_init__(self) -> None:
        self.present = set(range(self.deal.layout.size))
        self.look()

    def look(self) -> None:
        """See every tile that nothing lies on."""
        there = [self.deal.layout.tiles[t] for t in self.present if t != self.lifted]
        for tile in self.present:
            x, y, z = self.deal.layout.tiles[tile]
            if not any(h > z and abs(a - x) < 2 and abs(b - y) < 2 for a, b, h in there):
                self.known.add(tile)

    def follow(self, event: object) -> None:
        """See what the seat's own move shows."""
        match event:
            case SeatLiftedTile(tile=tile):
                self.lifted = tile
            case SeatPutTileBack():
                self.lifted = None
            case SeatRemovedPair(first=first, second=second):
                self.present -= {first, second}
                self.lifted = None
            case _:
                pass
        self.look()


async def known_by_version(hall: Hall, name: str, seat: int) -> list[set[int]]:
    """For each board version of a seat the tiles whose faces it may have been sent by then."""
    eyes = Eyes(await hall.deal(name))
    known = [set(eyes.known)]
    for event in await hall.facts(name):
        if getattr(event, "seat", None) == seat:
            eyes.follow(event)
            known.append(set(eyes.known))
    return known


def texts(message: Message) -> Iterator[str]:
    """Every text anywhere in a message."""
    for descriptor, value in message.ListFields():
        items: Any = value if descriptor.is_repeated else [value]
        for item in items:
            if isinstance(item, Message):
                yield from texts(item)
            elif isinstance(item, str):
                yield item


def faces_in(message: Message) -> Iterator[match_pb2.VisibleFace]:
    """Every face told anywhere in a message."""
    if isinstance(message, match_pb2.VisibleFace):
        yield message
    for descriptor, value in message.ListFields():
        if descriptor.message_type is not None:
            for item in value if descriptor.is_repeated else [value]:
                yield from faces_in(item)


def version_of(message: Message) -> int:
    """The board version that a message stands at."""
    match message:
        case pb.WatchResponse():
            kind = message.WhichOneof("payload") or "end"
            inner = getattr(message, kind)
            return inner.board.board_version if kind == "snapshot" else getattr(inner, "board_version", -1)
        case pb.GetMatchResponse():
            return message.match.board.board_version
        case _:
            return int(message.update.board_version)  # type: ignore[attr-defined]


def state_of(message: Message) -> match_pb2.MatchState.ValueType:
    """Where the match stands by a message."""
    match message:
        case pb.WatchResponse():
            inner = getattr(message, message.WhichOneof("payload") or "end")
            return inner.state if hasattr(inner, "state") else match_pb2.MATCH_STATE_UNSPECIFIED
        case pb.GetMatchResponse():
            return message.match.state
        case _:
            return message.update.state  # type: ignore[attr-defined, no-any-return]


async def _play_wildly(hall: Hall, name: str, players: list[RoundPlayer], rng: random.Random) -> None:
    """Random touches, pairs of the solution, looks, blocked ones and refused ones, by both."""
    size, pairs, taken = (await hall.deal(name)).layout.size, list(await hall.solution(name)), [0, 0]
    for _ in range(60):
        seat = rng.randrange(2)
        player = players[seat]
        board = (await player.get(name)).board
        hall.step(milliseconds=rng.randrange(300))
        if rng.random() < 0.3 and not board.HasField("lifted") and taken[seat] < len(pairs) - 2:
            await player.take(name, *pairs[taken[seat]], board.board_version)
            taken[seat] += 1
        elif rng.random() < 0.5 and board.free_tiles:
            tile = rng.choice([*board.free_tiles])
            if not board.HasField("lifted") or tile == board.lifted:
                await player.touch(name, tile, board.board_version)
            else:
                await player.put_back(name, board.board_version)
        elif board.HasField("lifted"):
            await player.put_back(name, board.board_version)
        elif (tile := rng.randrange(size)) in board.present and tile not in board.free_tiles:
            await player.touch(name, tile, board.board_version)
        else:
            await refused(player.touch(name, size + 5, board.board_version))


async def test_no_byte_tells_more_than_the_seat_may_know(hall: Hall) -> None:
    """No face before the signal, none of covered tiles, no seed before the end, no opponent's board ever."""
    ana, ben = players = [RoundPlayer(hall.edge), RoundPlayer(hall.edge)]
    name = await hall.meet(ana, ben)
    listening = [player.listen(name) for player in players]
    for player in players:
        await player.get(name)
    await until(lambda: all(player.heard for player in players))
    hall.step(seconds=3)
    await until(lambda: all(len(player.heard) == 2 for player in players))
    await _play_wildly(hall, name, players, random.Random(7))
    for player in players:
        await player.leave(name)
    await asyncio.wait_for(asyncio.gather(*listening), 10)
    await ana.get(name)
    deal = await hall.deal(name)
    for seat, player in enumerate(players):
        known = await known_by_version(hall, name, seat)
        assert len(player.received) > 60
        for message in player.received:
            _check(message, deal, known)
    _check_opponents(ana, ben)


def _check(message: Message, deal: RoundDeal, known: list[set[int]]) -> None:
    state, raw = state_of(message), message.SerializeToString()
    told = list(faces_in(message))
    assert sum(text in ALL_FACES for text in texts(message)) == len(told), "faces are told in one place"
    if state == match_pb2.MATCH_STATE_COUNTDOWN:
        assert not told
    for face in told:
        assert face.tile in known[version_of(message)]
        assert face.face == deal.faces[face.tile]
    if state != match_pb2.MATCH_STATE_OVER:
        assert deal.seed not in raw
        assert deal.nonce not in raw


def _check_opponents(ana: RoundPlayer, ben: RoundPlayer) -> None:
    """Of the other only size of board, score and whether out; and no sign of a lift or a put back."""
    allowed = {"player", "tiles_left", "round_score", "out"}
    assert {f.name for f in match_pb2.SeatProgress.DESCRIPTOR.fields} == allowed
    for player, other in ((ana, ben), (ben, ana)):
        progress = [u.opponents[0] for u in player.updates()]
        assert {p.player for p in progress} == {other.name}
        silent = [u for u in player.updates() if not u.outcome]
        seen = [(u.opponents[0].tiles_left, u.opponents[0].round_score, u.opponents[0].out) for u in silent]
        changes = [now for before, now in zip([None, *seen], seen, strict=False) if now != before]
        assert len(seen) - len(changes) <= 3 + sum(
            u.outcome == match_pb2.TOUCH_OUTCOME_BLOCKED for u in other.updates()
        )


async def test_coming_back_misses_nothing_and_repeats_nothing(hall: Hall) -> None:
    """From any message's token exactly what came since; a lift survives, and so does what it uncovered."""
    ana, ben = RoundPlayer(hall.edge), RoundPlayer(hall.edge)
    name = await hall.begin(ana, ben)
    pairs = await hall.solution(name)
    whole = RoundPlayer(hall.edge, ana.account_id, ana.session_id)
    listening = [ana.listen(name), whole.listen(name)]
    await until(lambda: bool(ana.heard and whole.heard))
    await ana.take(name, *pairs[0], 0)
    await until(lambda: len(ana.heard) == 3)
    listening[0].cancel()
    token = ana.heard[-1].resume_token
    await ben.take(name, *pairs[0], 0)
    await ana.touch(name, pairs[1][0], 2)
    back = RoundPlayer(hall.edge, ana.account_id, ana.session_id)
    resumed = back.listen(name, token)
    await until(lambda: len(back.heard) == 2 and len(whole.heard) == 5)
    snapshot = await ana.get(name)
    for task in (listening[1], resumed):
        task.cancel()

    assert [m.update for m in back.heard] == [m.update for m in whole.heard[3:]]
    assert snapshot.board.lifted == pairs[1][0]
    assert snapshot.board.board_version == 3
    assert {f.tile for f in back.heard[-1].update.uncovered} <= {f.tile for f in snapshot.board.faces}


async def test_a_second_device_takes_the_seat_and_the_opponent_stays(hall: Hall) -> None:
    """The first device's stream ends with that reason; the other player's goes on."""
    ana, ben = RoundPlayer(hall.edge), RoundPlayer(hall.edge)
    name = await hall.begin(ana, ben)
    listening = [ana.listen(name), ben.listen(name)]
    await until(lambda: bool(ana.heard and ben.heard))
    phone = RoundPlayer(hall.edge, account_id=ana.account_id)
    on_phone = phone.listen(name)
    await asyncio.wait_for(listening[0], 10)
    pair = (await hall.solution(name))[0]
    await phone.take(name, *pair, 0)
    await until(lambda: len(ben.heard) == 2)
    await until(lambda: len(phone.heard) == 3)
    for task in (listening[1], on_phone):
        task.cancel()

    assert ana.heard[-1].end.reason == "SEAT_TAKEN_OVER"
    assert phone.heard[0].snapshot.board.present == ana.heard[0].snapshot.board.present
    assert ben.heard[1].update.opponents[0].round_score == 100


async def test_snapshots_are_whole_in_every_phase(hall: Hall) -> None:
    """Countdown, play, out and over: a stream that begins then shows what GetMatch answers."""
    ana, ben = RoundPlayer(hall.edge), RoundPlayer(hall.edge)
    name = await hall.meet(ana, ben)

    async def first_message() -> match_pb2.Match:
        stream = ana.watch(name)
        snapshot = (await asyncio.wait_for(stream.read(), 10)).snapshot
        stream.cancel()
        assert snapshot == await ana.get(name)
        return snapshot  # type: ignore[no-any-return]

    countdown = await first_message()
    hall.step(seconds=3)
    playing = await first_message()
    await ana.leave(name)
    out = await first_message()
    await ben.leave(name)
    over = await first_message()

    assert countdown.commitment == playing.commitment == out.commitment == over.commitment
    assert not countdown.HasField("own_round")
    assert playing.own_round.HasField("idle_deadline")
    assert out.own_round.out == match_pb2.OUT_REASON_LEFT
    assert over.HasField("round_result") and over.HasField("end_time")
    assert over.round_result.reveal.seed == (await hall.deal(name)).seed
