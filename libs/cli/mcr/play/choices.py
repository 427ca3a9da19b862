"""What a player may do now, each choice with the key that is typed for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from libs.cli.mcr.play.picture import ordered
from libs.cli.mcr.tiles import Faces, name, tiles_text
from libs.client.deal_views import Action, ActionKind, DealView

WIN_KEY: Final = "w"
_KEYS: Final = {
    ActionKind.WIN: WIN_KEY,
    ActionKind.KONG: "k",
    ActionKind.CONCEALED_KONG: "k",
    ActionKind.ADDED_KONG: "k",
    ActionKind.PUNG: "p",
    ActionKind.CHOW: "c",
    ActionKind.PASS: "n",
}
_WORDS: Final = {
    ActionKind.WIN: "win",
    ActionKind.KONG: "kong",
    ActionKind.CONCEALED_KONG: "concealed kong",
    ActionKind.ADDED_KONG: "add to the pung",
    ActionKind.PUNG: "pung",
    ActionKind.CHOW: "chow",
    ActionKind.PASS: "pass",
}


@dataclass(frozen=True)
class Choice:
    """An action and its key; a discard's is the number below the tile."""

    key: str
    action: Action


def choices(deal: DealView) -> tuple[Choice, ...]:
    """All of them: discards by number, then what is more; ways that differ in copies alone are one.

    A second chow is `c2`, a second kong `k2`; the first may be typed as `c1` as well.
    """
    return (*_discards(deal), *_others(deal.actions))


def chosen(among: Sequence[Choice], typed: str) -> Action | None:
    """The action of what was typed; None where that is no key.

    A win may be tried whenever something is asked: what it lacks is told.
    """
    key = typed.strip().lower()
    if len(key) > 1 and key[0].isalpha() and key[1:] == "1":
        key = key[0]
    found = next((choice.action for choice in among if choice.key == key), None)
    if found is None and key == WIN_KEY and among:
        return Action(ActionKind.WIN)
    return found


def choice_lines(among: Sequence[Choice], faces: Faces = Faces.NOTATION) -> Iterator[Text]:
    """The list of them, the numbers of discards as one."""
    numbers = [choice.key for choice in among if choice.action.kind is ActionKind.DISCARD]
    if numbers:
        yield Text.assemble("  ", (f"{numbers[0]}-{numbers[-1]}", "bold"), "  discard that tile")
    for choice in among:
        if choice.action.kind is not ActionKind.DISCARD:
            shown = Text.assemble("  ", (f"{choice.key:<4}", "bold"), " ", _WORDS[choice.action.kind])
            if choice.action.tiles:
                shown.append("  ").append_text(tiles_text(choice.action.tiles, faces=faces))
            yield shown


def _discards(deal: DealView) -> Iterator[Choice]:
    if deal.seat is None:
        return
    allowed = {action.tiles[0]: action for action in deal.actions if action.kind is ActionKind.DISCARD}
    for number, tile in enumerate(ordered(deal.seats[deal.seat].hand, deal.drawn), start=1):
        if tile in allowed:
            yield Choice(str(number), allowed[tile])


def _others(actions: Sequence[Action]) -> Iterator[Choice]:
    told: set[tuple[ActionKind, tuple[str, ...]]] = set()
    counts: dict[str, int] = {}
    for kind in _KEYS:
        for action in actions:
            same = (kind, tuple(map(name, action.tiles)))
            if action.kind is kind and same not in told:
                told.add(same)
                key = _KEYS[kind]
                counts[key] = counts.get(key, 0) + 1
                yield Choice(key if counts[key] == 1 else f"{key}{counts[key]}", action)
