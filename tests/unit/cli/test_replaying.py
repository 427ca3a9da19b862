"""A replay of an instant at which no board was shown is held against the service too."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import grpc
import pytest

from libs.cli.ledger.replaying import Replayed, held_against
from libs.client.errors import SparrowError
from libs.client.results import BoardKind

AT = datetime(2026, 1, 1, tzinfo=UTC)
NOTHING = Replayed(0, None, {kind: [] for kind in BoardKind})


class Service:
    """Refuses for a reason, or answers an empty board where there is none."""

    def __init__(self, reason: str) -> None:
        """Refuse for this reason."""
        self.reason = reason
        self.asked: list[BoardKind] = []

    async def board_as_of(self, board: BoardKind, at: datetime) -> AsyncIterator[tuple[int, str, int]]:
        """Yield nothing, if it comes to that."""
        self.asked.append(board)
        if self.reason:
            raise SparrowError(self.reason, grpc.StatusCode.NOT_FOUND)
        none: list[tuple[int, str, int]] = []
        for row in none:
            yield row


@pytest.mark.parametrize("reason", ["NOT_FOUND", "NOT_READY"])
async def test_the_service_is_asked_and_agrees_by_refusing(reason: str) -> None:
    """Every board is asked for."""
    service = Service(reason)

    assert [fault async for fault in held_against(NOTHING, service, AT)] == []
    assert service.asked == list(BoardKind)


async def test_an_answer_where_nothing_was_shown_is_a_fault_of_each_board() -> None:
    """Also an empty one."""
    faults = [fault async for fault in held_against(NOTHING, Service(""), AT)]

    assert [fault.board for fault in faults] == [kind.value for kind in BoardKind]


async def test_other_refusals_are_told() -> None:
    """They say nothing about the boards."""
    with pytest.raises(SparrowError):
        _ = [fault async for fault in held_against(NOTHING, Service("RATE_LIMIT"), AT)]
