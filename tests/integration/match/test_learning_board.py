"""The learning board over a real server that has no database: nothing of it can be recorded."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from rich.console import Console

from libs.cli.play.learn import HELP, LearningTable
from libs.client.calls import Calls, Retries
from libs.client.errors import RefusedError
from libs.client.learning import Learning
from libs.pb.sparrow.match.v1 import learning_service_pb2 as wire
from libs.pb.sparrow.match.v1.learning_service_pb2_grpc import (
    LearningServiceStub,
    add_LearningServiceServicer_to_server,
)
from libs.runtime.service import Runtime, Service
from services.match.learning.servicer import GRPC_NAME, LearningServicer
from tests.support.edge import Edge, refused, serving


async def bind_learning(runtime: Runtime) -> Service:
    """The learning board alone: no database, no bus, no ledger."""
    servicer = LearningServicer(runtime.clock, runtime.opaque, runtime.settings.default_language)

    def register(server: grpc.aio.Server) -> None:
        add_LearningServiceServicer_to_server(servicer, server)

    return Service(name="match", grpc_names=(GRPC_NAME,), register=register)


@pytest.fixture
async def edge() -> AsyncIterator[Edge]:
    """A server with the learning board."""
    async with serving([bind_learning]) as edge:
        yield edge


class Token:
    """The bearer of one player's token."""

    def __init__(self, edge: Edge) -> None:
        self._text = edge.as_player()[0][1].removeprefix("Bearer ")

    async def token(self) -> str:
        """Return it."""
        return self._text

    async def renew(self, refused: str) -> None:
        """It stays the same."""


def learner(edge: Edge, language: str = "") -> Learning:
    """A learner with the client library."""
    return Learning(Calls(Token(edge), Retries(for_s=0), language), LearningServiceStub(edge.channel))


async def finish(learning: Learning) -> None:
    """Do what is asked, with hints, until the board is cleared."""
    await learning.touch(min(learning.board.free))
    await learning.touch(min(learning.board.present - learning.board.free))
    await learning.pair(3, 12)
    while not learning.is_done:
        if not learning.board.pair_available:
            await learning.shuffle()
        elif learning.step == "FLOWERS":
            await learning.pair(18, 20)
        else:
            await learning.hint()
            assert learning.lit is not None
            await learning.pair(*learning.lit)


@pytest.mark.parametrize(
    ("language", "first", "last"),
    [
        ("", "Touch a free tile.", "Now you can play!"),
        ("es", "Toca una ficha libre.", "¡Ya sabes jugar!"),
        ("pl-PL", "Dotknij wolnej płytki.", "Teraz możesz grać!"),
        ("fa", "یک کاشی آزاد را لمس کنید.", "اکنون می‌توانید بازی کنید!"),
        ("ro", "Atinge o piesă liberă.", "Acum poți juca!"),
    ],
)
async def test_its_texts_are_in_the_players_language(
    edge: Edge, language: str, first: str, last: str
) -> None:
    """From the first instruction to the last."""
    learning = learner(edge, language)
    await learning.begin()
    assert learning.instruction.endswith(first)

    await finish(learning)

    assert learning.instruction.endswith(last)
    assert learning.board.tiles_left == 0


async def test_a_wrong_action_is_explained_in_the_players_language(edge: Edge) -> None:
    """The call succeeds; nothing changes."""
    learning = learner(edge, "es")
    await learning.begin()

    assert await learning.shuffle() == (
        "Todavía se puede quitar una pareja. Un tablero solo se mezcla cuando está bloqueado."
    )
    assert learning.step == "FREE"
    assert learning.board.tiles_left == 34


async def test_it_can_be_left_and_begun_again(edge: Edge) -> None:
    """As often as one likes, in the middle or at the end."""
    learning = learner(edge)
    await learning.begin()
    await learning.touch(min(learning.board.free))
    await learning.begin()
    assert learning.step == "FREE"

    await finish(learning)
    await learning.begin()

    assert (learning.step, learning.board.tiles_left) == ("FREE", 34)


async def test_a_position_is_read_again_in_any_language(edge: Edge) -> None:
    """A client that comes back goes on where it was; the same action twice has the same outcome."""
    stub, player = LearningServiceStub(edge.channel), edge.as_player()
    begun = await stub.StartLearning(wire.StartLearningRequest(), metadata=player)
    touch = wire.TouchLearningTileRequest(position=begun.learning.position, tile=3)

    first = await stub.TouchLearningTile(touch, metadata=player)
    second = await stub.TouchLearningTile(touch, metadata=player)
    read = await stub.GetLearning(
        wire.GetLearningRequest(position=first.update.learning.position),
        metadata=[*player, ("accept-language", "ro")],
    )

    assert first == second
    assert read.learning.board.layout.tiles
    assert read.learning.locale == "ro"
    assert read.learning.step == first.update.learning.step


async def test_another_players_position_and_a_forged_one_are_refused(edge: Edge) -> None:
    """A position is its player's own."""
    stub = LearningServiceStub(edge.channel)
    begun = await stub.StartLearning(wire.StartLearningRequest(), metadata=edge.as_player())

    for position in (begun.learning.position, "nonsense"):
        read: Any = stub.GetLearning(wire.GetLearningRequest(position=position), metadata=edge.as_player())
        assert (await refused(read)).reason == "RESUME_TOKEN_INVALID"


@pytest.mark.parametrize("tile", [-1, 34, 2**31 - 1])
async def test_a_tile_outside_the_layout_is_refused_by_its_field(edge: Edge, tile: int) -> None:
    """The one thing that is an error: a client's mistake, not a learner's."""
    learning = learner(edge)
    await learning.begin()

    with pytest.raises(RefusedError) as touched:
        await learning.touch(tile)
    with pytest.raises(RefusedError) as taken:
        await learning.pair(0, tile)

    assert touched.value.metadata["field"] == "tile"
    assert taken.value.metadata["field"] == "second"


async def test_covered_faces_are_withheld(edge: Edge) -> None:
    """As in every game."""
    learning = learner(edge)
    await learning.begin()

    assert learning.board.free <= learning.board.faces.keys()
    assert len(learning.board.faces) < learning.board.tiles_left


class Typed:
    """Lines of a test."""

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)

    async def next(self) -> str | None:
        """Return the next one."""
        return self._lines.pop(0) if self._lines else None


async def test_it_is_played_in_the_terminal(edge: Edge) -> None:
    """Step by step, with a mistake that is explained and a line that is no command."""
    out = io.StringIO()
    typed = Typed("3", "0 1 2", "s", "n", "3", "999", "13", "3 12", "h", "13 19")
    table = LearningTable(learner(edge, "en"), Console(file=out, width=100), typed)

    await table.play()

    text = " ".join(out.getvalue().split())
    for words in ("Yes: tile 3 is free.", "A pair can still be taken.", "A pair!", "Take the two flowers."):
        assert words in text
    assert text.count("Touch a free tile.") == 2
    assert HELP.partition(",")[0] in text
