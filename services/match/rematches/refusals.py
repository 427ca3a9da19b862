"""What a refusal of a rematch says to a person and to a program."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from libs.rules.pairing.rematch import RematchRefusal
from libs.runtime.errors import Refused
from libs.runtime.names import match_name

_MESSAGES: Final = {
    RematchRefusal.NOT_FOUND: "no rematch is offered: the match goes on, or is of another kind",
    RematchRefusal.NOT_YOURS: "this is another player's match",
    RematchRefusal.REMATCH_OVER: "too late: see what has come of the rematch",
    RematchRefusal.ALREADY_SEATED: "you are playing the match that is named: finish or leave it first",
    RematchRefusal.ALREADY_QUEUED: "you are waiting for others: cancel the ticket first",
}


def rematch_refused(
    refusal: RematchRefusal, match_id: UUID, *, in_the_way: tuple[str, str] | None = None
) -> Refused:
    """The error of a refusal about a match; `in_the_way` names what is, as the queues do."""
    metadata = dict([("name", match_name(match_id)) if in_the_way is None else in_the_way])
    return Refused(refusal.value, _MESSAGES[refusal], metadata)
