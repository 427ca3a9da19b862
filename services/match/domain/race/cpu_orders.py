"""What the CPU orders for a seat: the commands that people give, chosen from what the seat sees."""

from __future__ import annotations

from datetime import datetime

from libs.rules.solitaire.bitset import bits
from services.match.domain.race.clocks import chance_of, cpu_level
from services.match.domain.race.commands import BoardCommand, Cpu, Hint, RemovePair, Shuffle
from services.match.domain.race.cpu import AskHint, AskShuffle, Seen, Take, choose
from services.match.domain.race.state import Race, Racer, Racing, hints_left, shuffles_left


def seen_by(race: Race, racer: Racer) -> Seen:
    """A board as its seat sees it: uncovered faces only."""
    board = racer.board
    return Seen(
        board.layout,
        board.present,
        board.free,
        {tile: board.faces[tile] for tile in bits(board.uncovered)},
        board.matching,
        can_shuffle=shuffles_left(race, racer) != 0,
        can_hint=hints_left(race, racer) != 0,
    )


def cpu_order(state: Racing, seat: int, at: datetime) -> BoardCommand | None:
    """The CPU's next order for a seat: the same whoever asks; None where nothing can be done."""
    racer = state.racers[seat]
    chance = chance_of(state.race, seat, racer)
    chance.word()  # the pace had it
    by, version = Cpu(seat), racer.board_version
    match choose(seen_by(state.race, racer), cpu_level(racer), chance):
        case Take(first=first, second=second):
            return RemovePair(by, first, second, version, at)
        case AskHint():
            return Hint(by, version, at)
        case AskShuffle():
            return Shuffle(by, version, at)
        case None:
            return None
