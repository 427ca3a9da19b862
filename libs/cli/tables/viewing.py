"""A deal of a closed MCR table seen again: the table after each step, by keys or by itself."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from libs.cli.mcr.play.ending import ending_lines
from libs.cli.mcr.play.picture import About, deal_lines
from libs.cli.mcr.tiles import Faces, tiles_text
from libs.cli.stepping import Steps
from libs.cli.tables.telling import sentences
from libs.client.table_history import TableReplay
from libs.rules.mcr.commitment import wall_commitment
from libs.rules.mcr.fan_names import Language
from libs.rules.mcr.wall import wall_of


def viewer(told: TableReplay, about: About, language: Language, faces: Faces, out: Console) -> Steps:
    """What there is to see of a deal: a frame for each sentence, and the end behind them."""
    frames = list(sentences(told, about, faces))
    count = len(frames) - 1

    def show(number: int) -> None:
        said = frames[number]
        out.print()
        for line in deal_lines(said.deal, about, out.width, faces):
            out.print(line, soft_wrap=True)
        out.print(Text.assemble((f"{number}/{count} ", "dim"), said.text), soft_wrap=True)

    def end() -> None:
        for line in ending(told, about, language, faces):
            out.print(line)

    return Steps([said.at_ms for said in frames], show, end)


def ending(told: TableReplay, about: About, language: Language, faces: Faces) -> Iterator[Text | Table]:
    """How the deal ended, what was paid, and the wall that was laid open."""
    yield Text()
    yield from ending_lines(told.steps[-1].deal, about, language, faces)
    yield Text("The wall, from the first tile that was dealt:", "dim")
    yield tiles_text(told.wall, faces=faces)


def commitment_line(told: TableReplay) -> Text:
    """Whether the wall is the one that was promised before the deal: worked out here, not by the server."""
    promised = told.steps[0].deal.commitment
    head = f"{told.table.name}, deal {told.deal_number} of {len(told.table.rows)}, commitment {promised}: "
    reveal = told.reveal
    is_kept = reveal is not None and (
        wall_commitment(reveal.nonce, reveal.seed, reveal.wall_version).hex() == promised
        and wall_of(reveal.seed) == told.wall
    )
    return Text(head, "dim").append(
        "kept" if is_kept else "NOT KEPT", "bold green" if is_kept else "bold red"
    )
