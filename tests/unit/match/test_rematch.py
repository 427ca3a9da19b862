"""What comes of the offer of a rematch: who answered what, when it begins, and why it does not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from libs.rules.pairing.rematch import Answer, Outcome, RematchRefusal, answer, is_due, offer, seated, settle
from services.match.domain.queueing import GameKind, Queue, Rematch

ENDED = datetime(2026, 11, 30, 12, tzinfo=UTC)
MATCH, NEXT = UUID(int=1), UUID(int=2)
ANA, BEN, CARL, STRANGER = (UUID(int=number) for number in range(11, 15))
YES, NO = Answer.ACCEPTED, Answer.DECLINED


def after(seconds: float) -> datetime:
    """An instant so long after the match's end."""
    return ENDED + timedelta(seconds=seconds)


def offered(*accounts: UUID) -> Rematch:
    """The offer of a match of these accounts."""
    return offer(MATCH, GameKind(Queue.POOL, stake=50), accounts, ENDED)


def told(rematch: Rematch, *answers: tuple[UUID, Answer]) -> Rematch:
    """The offer after these answers, none of which is refused."""
    for account_id, said in answers:
        answered = answer(rematch, account_id, said, after(1))
        assert not isinstance(answered, RematchRefusal)
        rematch = answered
    return rematch


def test_two_begin_as_soon_as_both_have_accepted() -> None:
    """Not with one of them."""
    first = told(offered(ANA, BEN), (BEN, YES))
    both = told(first, (ANA, YES))
    begun = seated(both, {ANA, BEN}, NEXT)
    assert not is_due(first, after(29))
    assert is_due(both, after(1))
    assert (begun.outcome, begun.next_match_id, begun.accepted) == (Outcome.BEGUN, NEXT, (ANA, BEN))


def test_one_no_of_two_ends_the_offer() -> None:
    """For whoever said yes as well; there is nothing to answer any more."""
    over = told(offered(ANA, BEN), (ANA, YES), (BEN, NO))
    assert over.outcome is Outcome.DECLINED
    assert answer(over, BEN, YES, after(2)) is RematchRefusal.REMATCH_OVER


def test_of_three_those_who_accepted_begin_when_nobody_is_left_to_answer() -> None:
    """Whoever said no is left out."""
    waiting = told(offered(ANA, BEN, CARL), (ANA, YES), (BEN, YES))
    decided = told(waiting, (CARL, NO))
    assert not is_due(waiting, after(29.999))
    assert is_due(decided, after(1))
    assert decided.accepted == (ANA, BEN)


def test_of_three_those_who_accepted_begin_when_the_time_is_over() -> None:
    """Whoever said nothing is left out."""
    waiting = told(offered(ANA, BEN, CARL), (CARL, YES), (ANA, YES))
    assert settle(waiting, after(30)).outcome is Outcome.OPEN
    assert is_due(waiting, after(30))


def test_with_fewer_than_two_in_time_it_expires() -> None:
    """At its end, not before."""
    waiting = told(offered(ANA, BEN, CARL), (CARL, YES))
    assert settle(waiting, after(29.999)).outcome is Outcome.OPEN
    assert settle(waiting, after(30)).outcome is Outcome.EXPIRED


def test_an_answer_at_the_end_of_the_offer_is_too_late() -> None:
    """Thirty seconds after the end of the match."""
    assert answer(offered(ANA, BEN), ANA, YES, after(30)) is RematchRefusal.REMATCH_OVER
    assert not isinstance(answer(offered(ANA, BEN), ANA, YES, after(29.999)), RematchRefusal)


def test_who_has_not_played_the_match_has_no_answer() -> None:
    """Whatever has come of it."""
    assert answer(offered(ANA, BEN), STRANGER, YES, after(1)) is RematchRefusal.NOT_YOURS
    over = replace(offered(ANA, BEN), outcome=Outcome.EXPIRED)
    assert answer(over, STRANGER, YES, after(1)) is RematchRefusal.NOT_YOURS


def test_a_yes_can_be_taken_back_until_it_begins() -> None:
    """Of three the two others may still play."""
    waiting = told(offered(ANA, BEN, CARL), (ANA, YES), (ANA, NO), (BEN, YES))
    assert waiting.outcome is Outcome.OPEN
    assert told(waiting, (CARL, YES)).accepted == (BEN, CARL)


def test_the_same_answer_again_changes_nothing() -> None:
    """Not even the version."""
    waiting = told(offered(ANA, BEN), (ANA, YES))
    assert told(waiting, (ANA, YES)) == waiting


@pytest.mark.parametrize("free", [set(), {ANA}])
def test_without_two_who_are_free_there_is_no_match_and_all_see_who_was_not(free: set[UUID]) -> None:
    """It is over."""
    over = seated(told(offered(ANA, BEN), (ANA, YES), (BEN, YES)), free, NEXT)
    assert (over.outcome, over.next_match_id) == (Outcome.ELSEWHERE, None)
    assert over.answers[1] is Answer.ELSEWHERE
    assert (over.answers[0] is YES) == (ANA in free)


def test_of_three_who_accepted_two_who_are_free_begin() -> None:
    """The third is named."""
    begun = seated(told(offered(ANA, BEN, CARL), (ANA, YES), (BEN, YES), (CARL, YES)), {ANA, CARL}, NEXT)
    assert (begun.outcome, begun.accepted) == (Outcome.BEGUN, (ANA, CARL))
    assert begun.answers == (YES, Answer.ELSEWHERE, YES)
