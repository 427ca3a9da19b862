"""`sparrow tables`: a deal in sentences, as its player saw it or openly; its end, its wall, its frames."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import datetime

import pytest
from rich.console import Console
from rich.text import Text

from libs.cli.mcr.tiles import Faces
from libs.cli.tables.documents import document
from libs.cli.tables.telling import Said, about, came_to, sentences
from libs.cli.tables.viewing import commitment_line, ending, viewer
from libs.client.deal_views import What, Won
from libs.client.table_history import TableReplay, replay_of
from libs.rules.mcr.fan_names import Language, fan_name
from services.mcr.domain.deal.terms import Ai, Person
from services.mcr.domain.history import steps
from services.mcr.domain.session.state import Closed
from services.mcr.wire.history import replay_message, step_message
from tests.support.mcr_deals import PLAYERS
from tests.support.mcr_tables import PlayedTable, played_table

OWN = 2
NAMES = {f"players/{PLAYERS[0]}": "Eve", f"players/{PLAYERS[OWN]}": "Ana"}


@pytest.fixture(scope="module")
def table() -> PlayedTable:
    """Two deals of two persons and two AI players; the first one was won."""
    return played_table((Person(PLAYERS[0]), Ai(), Person(PLAYERS[OWN]), Ai()), 2, seed=4)


def told(table: PlayedTable, number: int = 1, *, openly: bool = False) -> TableReplay:
    """A deal as the client library has it."""
    assert isinstance(table.state, Closed)
    events = list(table.deals.values())[number - 1]
    message = replay_message(table.state, number, events)
    message.steps.extend(step_message(step) for step in steps(events, OWN, is_open=openly))
    return replay_of(message)


def said(replay: TableReplay) -> list[Said]:
    """Its sentences."""
    return list(sentences(replay, about(replay.table, NAMES, OWN, replay.deal_number), Faces.NOTATION))


class Typed:
    """Lines that were typed beforehand."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)

    async def next(self) -> str | None:
        """The next one."""
        return self.lines.pop(0) if self.lines else None


def test_own_draws_are_told_with_their_tile_and_others_without(table: PlayedTable) -> None:
    """As they were seen then."""
    texts = [each.text.plain for each in said(told(table))]

    assert any(text.startswith("You draw ▌") for text in texts)
    others = [text for text in texts if text.endswith("draws")]
    assert others
    assert not [text for text in texts if "draws ▌" in text]


def test_openly_every_draw_and_every_claim_is_told(table: PlayedTable) -> None:
    """By whom: persons by their names, the AI by its level."""
    replay = told(table, openly=True)
    texts = [each.text.plain for each in said(replay)]

    drawn = [step for step in replay.steps if step.happening.what is What.DREW]
    assert sum("draws ▌" in text or text.startswith("You draw ▌") for text in texts) == len(drawn)
    assert any("(Eve) draws" in text for text in texts)
    assert any("(AI middle) draws" in text for text in texts)


def test_sentences_come_in_the_order_of_their_instants(table: PlayedTable) -> None:
    """Milliseconds since the dealing."""
    instants = [each.at_ms for each in said(told(table, 2, openly=True))]

    assert instants == sorted(instants)
    assert instants[0] == 0


def test_the_end_names_the_fans_and_lays_the_wall_open(table: PlayedTable) -> None:
    """In the language that was asked for; the winner's hand, what was paid, 144 tiles."""
    replay = told(table)
    won = replay.table.rows[0].outcome
    assert isinstance(won, Won)
    out = io.StringIO()
    console = Console(file=out, width=120)
    about_it = about(replay.table, NAMES, OWN, 1)
    for line in ending(replay, about_it, Language.CHINESE, Faces.NOTATION):
        console.print(line)

    for fan in won.fans:
        assert fan_name(fan.number, Language.CHINESE) in out.getvalue()
    wall = out.getvalue().split("The wall, from the first tile that was dealt:")[1]
    assert wall.count("▌") == 144


def test_whether_the_promise_of_the_wall_was_kept_is_worked_out_here(table: PlayedTable) -> None:
    """From seed and nonce; another tile or another seed breaks it."""
    replay = told(table)
    assert replay.reveal is not None
    other_seed = replace(replay, reveal=replace(replay.reveal, seed=bytes(32)))
    other_wall = replace(replay, wall=(*replay.wall[1::-1], *replay.wall[2:]))

    assert commitment_line(replay).plain.endswith(": kept")
    for wrong in (other_seed, other_wall, replace(replay, reveal=None)):
        assert commitment_line(wrong).plain.endswith(": NOT KEPT")


async def test_a_deal_is_gone_through_by_keys(table: PlayedTable) -> None:
    """On, back, to a step, out; behind the last frame comes the end."""
    replay, out = told(table), io.StringIO()
    console = Console(file=out, width=100, highlight=False)
    about_it = about(replay.table, NAMES, OWN, 1)
    steps_of = viewer(replay, about_it, Language.ENGLISH, Faces.NOTATION, console)
    last = len(steps_of.at_ms) - 1
    await steps_of.by_keys(Typed("", "b", str(last), ""), console)

    shown = [line.split()[0] for line in out.getvalue().splitlines() if f"/{last} " in line]
    assert shown == [f"0/{last}", f"1/{last}", f"0/{last}", f"{last}/{last}"]
    assert "The wall, from" in out.getvalue()


async def test_a_deal_goes_by_itself_as_fast_as_is_asked(table: PlayedTable) -> None:
    """Nobody waits longer than five seconds for a frame."""
    replay, waited = told(table, 2), list[float]()
    about_it = about(replay.table, NAMES, OWN, 2)

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    console = Console(file=io.StringIO(), width=100)
    await viewer(replay, about_it, Language.ENGLISH, Faces.NOTATION, console).by_itself(10, sleep)

    assert len(waited) == len(said(replay))
    assert 0 < max(waited) <= 5


def test_rows_of_lists_say_what_deals_came_to(table: PlayedTable) -> None:
    """Who won how much."""
    replay = told(table)
    won = replay.table.rows[0].outcome
    assert isinstance(won, Won)

    own = came_to(replace(won, winner=OWN), replay.table, NAMES, OWN)
    eve = came_to(replace(won, winner=0), replay.table, NAMES, OWN)
    assert (own, eve) == (f"you won {won.points + won.flowers}", f"Eve won {won.points + won.flowers}")
    assert about(replay.table, NAMES, OWN, 1).totals == won.payments


def test_names_of_others_are_made_safe(table: PlayedTable) -> None:
    """No control characters reach the terminal."""
    names = {f"players/{PLAYERS[0]}": "E\x1b[2Jve"}

    assert "\x1b" not in Text(about(told(table).table, names, OWN, 1).names[0]).plain


def test_programs_get_plain_values(table: PlayedTable) -> None:
    """Instants as text, seeds in hexadecimal, tiles by number; fans and answers too."""
    replay = told(table, openly=True)
    read = json.loads(json.dumps(document(replay)))

    assert replay.reveal is not None
    assert read["reveal"]["seed"] == replay.reveal.seed.hex()
    assert datetime.fromisoformat(read["start_time"]) == replay.start_time
    assert read["wall"] == list(replay.wall)
    assert read["table"]["rows"][0]["outcome"]["fans"]
