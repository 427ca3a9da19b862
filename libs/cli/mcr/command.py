"""`sparrow mcr score`, `sparrow mcr shanten`, `sparrow mcr explain`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.markup import escape

from libs.cli.line_answers import answer_file
from libs.cli.mcr.answer import score_answer, shanten_answer
from libs.cli.mcr.explain import document, explain, lines
from libs.cli.mcr.play.command import play
from libs.cli.mcr.record import LINE_BYTES_MAX, parse_score, parse_shanten
from libs.cli.terminal import JsonFlag, console, fail, print_json
from libs.rules.mcr.fan_names import Language
from libs.rules.mcr.hand import NotAHandError
from libs.rules.mcr.notation import NotationError, parse_hand
from libs.rules.mcr.profile import MIL, PROFILES, WMO


class ProfileName(StrEnum):
    """The ways to decide contested points."""

    MIL = MIL.name
    WMO = WMO.name


NOT_READ: Final = 2

File = Annotated[Path, typer.Argument(metavar="FILE", help="hands, a JSON object a line; -: input")]
Profiled = Annotated[
    ProfileName,
    typer.Option("--profile", help="how contested points are decided: as most tables, or the book"),
]

app = typer.Typer(no_args_is_help=True, help="Play MCR, score hands, say what they wait for, explain them.")


@app.command("score")
def score_file(file: File, profile: Profiled = ProfileName.MIL) -> None:
    """Say of each hand of a file what it scores, with which fans; 1 if any line was bad."""
    chosen = PROFILES[profile]
    answer_file(file, "scoring", LINE_BYTES_MAX, lambda line: score_answer(parse_score(line), chosen))


@app.command("shanten")
def shanten_file(file: File) -> None:
    """Say of each hand of a file how far it is from ready, and what it waits for; 1 if any line was bad."""
    answer_file(file, "counting", LINE_BYTES_MAX, lambda line: shanten_answer(parse_shanten(line)))


app.command("play")(play)


@app.command("explain")
def explain_hand(
    hand: Annotated[str, typer.Argument(metavar="HAND", help='such as "[123m][EEEE,1]55p789sFF5p|ES1000|2"')],
    profile: Profiled = ProfileName.MIL,
    language: Annotated[
        Language, typer.Option("--lang", help="of the fans' names: English, Chinese or Persian")
    ] = Language.ENGLISH,
    as_json: JsonFlag = False,
) -> None:
    """Say what a hand scores, which fans count, and why others do not; of 13 tiles, what they wait for.

    HAND: ranks with their suit behind them (m characters, p circles, s bamboos), E S W N winds, C F P red,
    green and white dragon; melds in brackets, exposed kongs as [EEEE,1]; the last tile is the one that
    completed it. After a bar: round wind, seat wind, and 0 or 1 for self-drawn, last of its kind, last
    tile, kong-related; without it east, east and a discard. After another bar: flowers.
    """
    try:
        written = parse_hand(hand)
        told = explain(written.hand, written.win, PROFILES[profile])
    except (NotationError, NotAHandError) as error:
        fail(escape(str(error)), NOT_READ)
    if as_json:
        print_json(document(told))
        return
    for line in lines(told, language):
        console().print(line)
