"""Questions about MCR hands in every shape that Python objects have: `odd_questions LIBRARY COUNT SEED`.

Sound hands in lists and tuples of numbers, and the same with parts replaced by what is none. A part that
stands for the same number changes no answer; what is asked wrongly is refused, not answered; no reference is
lost.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import IntEnum
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Final

from libs.kernel import library
from libs.rules.mcr.hand import Hand, Win
from libs.rules.mcr.melds import Set, SetKind
from libs.rules.mcr.tiles import EAST, TileIndex
from tests.property.rules.mcr.random_hands import random_hands

HANDS: Final = 500


class Wind(IntEnum):
    """A number that is no plain one."""

    EAST = 27


class Row(list[Any]):
    """A row that is no plain list."""


class Vanishing:
    """What empties the rows it stands in when it is asked which number it is."""

    def __init__(self, rows: list[list[Any]]) -> None:
        self.rows = rows

    def __index__(self) -> int:
        for row in self.rows:
            row.clear()
        return 1


ODD: Final[Sequence[Any]] = (
    *(-1, 34, 63, 64, 255, 256, 2**31, 2**64 + 5, -(2**70), True, False, None, 1.0, "1m", b"\1", Wind.EAST),
    *((), [], (1,) * 4, [1] * 13, (SetKind.PUNG, 3), ("chow", 1, True, False), (None,) * 4, object(), {}),
    *(
        Set(SetKind.CHOW, TileIndex(8)),
        Set(SetKind.KONG, TileIndex(40)),
        Set(SetKind.CHOW, TileIndex(1), True),
    ),
    *((SetKind.PUNG, 3, 2**70, False), (SetKind.CHOW, "1m", True, False)),
)


def broken(random: Random, parts: Sequence[Sequence[Any]]) -> list[Any]:
    """The arguments with one to three places, or rows, replaced."""
    rows: list[Any] = [random.choice((list, tuple, Row))(part) for part in parts]
    lists = [row for row in rows if isinstance(row, list)]
    for _ in range(random.randint(1, 3)):
        odd = Vanishing(lists) if random.random() < 0.05 else random.choice(ODD)
        place = random.randrange(len(rows))
        row = rows[place]
        if random.random() < 0.1 or not row or not isinstance(row, (list, tuple)):
            rows[place] = odd
        else:
            changed = list(row)
            changed[random.randrange(len(row))] = odd
            rows[place] = changed if isinstance(row, list) else tuple(changed)
    return rows[: random.choice((len(rows),) * 9 + (1,))]


def asked(question: Any, arguments: Sequence[Any]) -> Any:
    """The answer, or that it was refused."""
    try:
        return question(*arguments)
    except (ValueError, TypeError, AttributeError, IndexError) as error:
        return type(error)


def ask_all(mcr: Any, hands: Sequence[tuple[Hand, Win]], count: int, random: Random) -> int:
    """Ask so often; how many answers were wrong."""
    wrong = 0
    calls = [mcr._SCORE, mcr._LEAST, mcr._SHANTEN, mcr._COMPLETING]
    for number in range(count):
        hand, win = hands[number % len(hands)]
        codes = [mcr.code(meld) for meld in hand.melds]
        told = mcr.score_packed(list(hand.concealed), codes, list(win))
        alike = [Wind.EAST if tile == EAST else tile for tile in hand.concealed]
        wrong += told != mcr.score(hand, win) or told != mcr.score_packed(Row(alike), tuple(codes), win)
        parts = broken(random, (hand.concealed, random.choice((codes, hand.melds)), win))
        switches = random.choice((60, 0, 63, -1, 2**70, None))
        answers = [asked(call, arguments) for call in calls for arguments in ([*parts, switches], parts[:2])]
        wrong += sum(not isinstance(answer, (mcr.Scored, int, type(None))) for answer in answers)
        asked(mcr.score_packed, parts)
        asked(mcr.least_packed, parts[:2])
    return wrong


def main(path: str, count: int, seed: int) -> int:
    """Ask so often; 1 where an answer is wrong."""
    library.library.cache_clear()
    vars(library)["LIBRARY"] = Path(path)  # with sanitizers
    mcr: Any = import_module("libs.kernel.mcr")
    if mcr._SCORE is None:
        print("this interpreter calls nothing itself")  # noqa: T201
        return 1
    hands = list(random_hands(seed, HANDS))
    own = [one for one in ODD if type(one) not in {int, bool, type(None), tuple}]
    counted = [*own, mcr.Scored, mcr.CHOW, mcr.KONG, *(part for question in hands for part in question)]
    before = list(map(sys.getrefcount, counted))
    wrong = ask_all(mcr, hands, count, Random(seed))
    lost = sum(now != then for now, then in zip(map(sys.getrefcount, counted), before, strict=True))
    print(f"{count} hands asked about in every shape, {wrong} wrong answers, {lost} references lost")  # noqa: T201
    return 1 if wrong or lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
