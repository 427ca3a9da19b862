"""What a hand scores and why: for people as tables, for programs as one document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.table import Table
from rich.text import Text

from libs.cli.mcr.answer import decomposition
from libs.cli.mcr.tiles import MARKED_GROUND, kinds_text
from libs.rules.mcr.decompose import Reading, Shape
from libs.rules.mcr.fan_names import Language, fan_name
from libs.rules.mcr.fans.rule import Sets
from libs.rules.mcr.fans_table import Fan
from libs.rules.mcr.hand import Hand, Win
from libs.rules.mcr.notation import write_tiles
from libs.rules.mcr.profile import Profile
from libs.rules.mcr.score import FLOWER_TILES, POINTS_TO_WIN, Outcome, Score, score
from libs.rules.mcr.shanten import shanten, waits
from libs.rules.mcr.tiles import NOTATION, TileIndex


@dataclass(frozen=True)
class Explained:
    """A hand with all that is said about it."""

    hand: Hand
    win: Win | None
    score: Score | None
    shanten: dict[Shape, int]
    """Of the hand before its last tile."""
    waits: tuple[TileIndex, ...]


def explain(hand: Hand, win: Win | None, profile: Profile) -> Explained:
    """Work everything out. Raises NotAHandError."""
    best = score(hand, win, profile) if win is not None else None
    return Explained(hand, win, best, shanten(hand), waits(hand))


def document(told: Explained) -> dict[str, Any]:
    """All of it for programs, names in every language; what an incomplete hand has not is None."""
    best = told.score
    return {
        "outcome": Outcome.NOT_WINNING if best is None else best.outcome,
        "total_without_flowers": None if best is None else best.total_without_flowers,
        "total": None if best is None else best.total,
        "fans": [
            _named(fan) | {"points": points, "sets": list(sets)}
            for fan, points, sets in (best.counted if best else ())
        ],
        "flowers": best.flowers if best else 0,
        "excluded": [
            _named(fan) | {"sets": list(sets), "because": _because(because)}
            for fan, sets, because in (best.excluded if best else ())
        ],
        "decomposition": None if best is None else decomposition(best.reading),
        "shanten": {shape: told.shanten[shape] for shape in told.shanten},
        "waits": [NOTATION[tile] for tile in told.waits],
    }


def lines(told: Explained, language: Language = Language.ENGLISH) -> Iterator[Text | Table]:
    """The same for people; the fans by their names in a language."""
    yield picture(told.hand, told.win)
    if told.score is None:
        yield _distance(told)
        return
    yield _verdict(told.score)
    yield _read_as(told.score.reading)
    yield Text(f"It waited for {write_tiles(told.waits) or 'nothing that is left'}.")
    yield _counted(told.score, language)
    if told.score.excluded:
        yield _excluded(told.score, language)


def picture(hand: Hand, win: Win | None) -> Text:
    """The tiles as they stand: melds in brackets, the last tile apart."""
    shown = Text()
    for meld in hand.melds:
        shown.append("[")
        shown.append_text(kinds_text(meld.tiles))
        shown.append("] " if meld.concealed or not meld.is_kong else ",1] ")
    shown.append_text(kinds_text(tuple(sorted(hand.concealed))))
    if win is not None:
        shown.append(" + ")
        shown.append_text(kinds_text((win.tile,), MARKED_GROUND))
    return shown


def _verdict(best: Score) -> Text:
    points = best.total_without_flowers
    flowers = f" and {best.flowers} for flowers" if best.flowers else ""
    if best.outcome is Outcome.WIN:
        return Text(
            f"A win of {best.total} points{f': {points}{flowers}' if flowers else ''}.", style="bold green"
        )
    return Text(
        f"Complete, but {points} points{' without flowers' if flowers else ''} are less than {POINTS_TO_WIN}:"
        " it may not be declared.",
        style="bold yellow",
    )


def _read_as(reading: Reading) -> Text:
    parts = [write_tiles(one.tiles) for one in reading.sets]
    if reading.knitted:
        parts.insert(0, write_tiles(tuple(sorted(reading.knitted))))
    if reading.pair is not None:
        parts.append(write_tiles((reading.pair, reading.pair)))
    return Text(f"Read as {reading.shape.replace('_', ' ')}{': ' if parts else ''}{' '.join(parts)}.")


def _distance(told: Explained) -> Text:
    least = min(told.shanten.values())
    complete = "The last tile does not complete it. " if told.win is not None else ""
    if least == 0:
        waited = write_tiles(told.waits) or "nothing that is left"
        return Text(f"{complete}Ready: waits for {waited}.")
    nearest = ", ".join(shape.replace("_", " ") for shape, number in told.shanten.items() if number == least)
    return Text(f"{complete}Shanten {least}: {least + 1} tiles from complete ({nearest}).")


def _named(fan: Fan) -> dict[str, Any]:
    names = {str(language): fan_name(fan.number, language) for language in Language}
    return {"number": fan.number, "title": fan.title, "names": names}


def _counted(best: Score, language: Language) -> Table:
    table = Table("No.", "Fan", "Points", "Of", title="Counted", title_justify="left")
    for fan, points, sets in best.counted:
        table.add_row(str(fan.number), fan_name(fan.number, language), str(points), _sets(best, sets))
    if best.flowers:
        number = FLOWER_TILES.number
        table.add_row(str(number), fan_name(number, language), str(best.flowers), "")
    return table


def _excluded(best: Score, language: Language) -> Table:
    table = Table("No.", "Fan", "Times", "Of", "Because", title="Not counted", title_justify="left")
    times = Counter(
        (fan, _sets(best, sets), _because(because, language)) for fan, sets, because in best.excluded
    )
    for (fan, sets, because), count in times.items():
        table.add_row(str(fan.number), fan_name(fan.number, language), str(count), sets, because)
    return table


def _because(reason: Fan | str, language: Language = Language.ENGLISH) -> str:
    if isinstance(reason, Fan):
        return f"{fan_name(reason.number, language)} ({reason.number}) is counted"
    return str(reason)


def _sets(best: Score, sets: Sets) -> str:
    return " ".join(write_tiles(best.reading.sets[index].tiles) for index in sets)
