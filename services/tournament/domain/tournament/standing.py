"""Who stands where: TP, misses, who may still be seated, and what the places bring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from libs.rules.pairing.seating import together
from services.tournament.domain.tournament.state import Field
from services.tournament.domain.tournament.terms import Prize, Terms
from services.tournament.domain.tournament.words import Line, Player

MISSES_MAX: Final = 2
"""Who misses so many rounds is seated no more."""


def standing_of(field: Field) -> tuple[Line, ...]:
    """The standing as it is: TP, then the earlier registration, then the account in byte order."""
    lines = [Line(player, field.tally_of(player).points) for player in field.entrants]
    return tuple(sorted(lines, key=lambda line: _rank(field, line)))


def _rank(field: Field, line: Line) -> tuple[object, ...]:
    entrant = field.entrants[line.player]
    return -line.points, entrant.registered_at, entrant.account_id.bytes


def is_seatable(field: Field, player: Player) -> bool:
    """Whether a player takes part in the next round."""
    return not field.entrants[player].withdrawn and field.tally_of(player).misses < MISSES_MAX


def seatable(field: Field) -> tuple[Player, ...]:
    """Who takes part in the next round, in the order of the standing."""
    return tuple(line.player for line in standing_of(field) if is_seatable(field, line.player))


def met(field: Field) -> Counter[frozenset[Player]]:
    """How often each two sat together."""
    return Counter(
        pair for played in field.rounds for pair in together([row.table.players for row in played.tables])
    )


def prizes_of(terms: Terms, standing: Sequence[Line]) -> dict[int, tuple[Player, Prize]]:
    """Who gets which prize, by place; a player without TP gets none, nor does anybody in that place."""
    return {
        place: (line.player, prize)
        for place, (line, prize) in enumerate(zip(standing, terms.prizes, strict=False), 1)
        if line.points > 0 and not prize.is_nothing
    }
