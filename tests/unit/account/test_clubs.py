"""What clubs decide: who may, from which tie, within which limits; and what a club may say."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from services.account.domain.club_texts import TextFault, parse_description
from services.account.domain.clubs import (
    CLUB_WAITING_MAX,
    PLAYER_REQUESTS_MAX,
    Action,
    Bond,
    ClubRefusal,
    JoinPolicy,
    Seen,
    Tie,
    decide,
    evolve,
    tie_after,
)
from services.account.events import (
    ClubDisbanded,
    ClubEvent,
    ClubInvitationEnded,
    ClubJoinRequested,
    ClubJoinRequestEnded,
    ClubMemberJoined,
    ClubMemberLeft,
    ClubPlayerInvited,
    ClubRole,
    ClubRoleChanged,
    TieEvent,
)

CLUB, ANA, BOB = UUID(int=1), UUID(int=2), UUID(int=3)
STRANGER, REQUESTED, INVITED = Tie(), Tie(Bond.REQUESTED), Tie(Bond.INVITED)
MEMBER, OFFICER, OWNER = (
    Tie(Bond.MEMBER, role) for role in (ClubRole.MEMBER, ClubRole.OFFICER, ClubRole.OWNER)
)


def seen(role: ClubRole | None, tie: Tie, policy: JoinPolicy = JoinPolicy.OPEN) -> Seen:
    """Return what Ana, of this role, sees who acts on Bob, of this tie; the club has 3 of 5 members."""
    return Seen(CLUB, policy, member_limit=5, members=3, actor=ANA, actor_role=role, subject=BOB, tie=tie)


def of_oneself(tie: Tie, policy: JoinPolicy = JoinPolicy.OPEN) -> Seen:
    """Return what Bob sees who acts for himself."""
    return replace(seen(tie.role, tie, policy), actor=BOB)


IN, OUT = ClubMemberJoined(CLUB, BOB, ClubRole.MEMBER), ClubMemberLeft(CLUB, BOB)
OWN = [
    (Action.JOIN, JoinPolicy.OPEN, STRANGER, IN),
    (Action.JOIN, JoinPolicy.OPEN, REQUESTED, IN),
    (Action.JOIN, JoinPolicy.OPEN, INVITED, IN),
    (Action.JOIN, JoinPolicy.OPEN, MEMBER, ClubRefusal.ALREADY_A_MEMBER),
    (Action.JOIN, JoinPolicy.BY_REQUEST, STRANGER, ClubRefusal.JOIN_POLICY),
    (Action.JOIN, JoinPolicy.BY_INVITATION, INVITED, ClubRefusal.JOIN_POLICY),
    (Action.REQUEST, JoinPolicy.BY_REQUEST, STRANGER, ClubJoinRequested(CLUB, BOB)),
    (Action.REQUEST, JoinPolicy.BY_REQUEST, REQUESTED, ClubRefusal.ALREADY_REQUESTED),
    (Action.REQUEST, JoinPolicy.BY_REQUEST, INVITED, ClubRefusal.ALREADY_INVITED),
    (Action.REQUEST, JoinPolicy.BY_REQUEST, OWNER, ClubRefusal.ALREADY_A_MEMBER),
    (Action.REQUEST, JoinPolicy.OPEN, STRANGER, ClubRefusal.JOIN_POLICY),
    (Action.REQUEST, JoinPolicy.BY_INVITATION, STRANGER, ClubRefusal.JOIN_POLICY),
    (Action.WITHDRAW_REQUEST, JoinPolicy.OPEN, REQUESTED, ClubJoinRequestEnded(CLUB, BOB)),
    (Action.WITHDRAW_REQUEST, JoinPolicy.OPEN, INVITED, ClubRefusal.NO_JOIN_REQUEST),
    (Action.ACCEPT_INVITATION, JoinPolicy.BY_INVITATION, INVITED, IN),
    (Action.ACCEPT_INVITATION, JoinPolicy.OPEN, REQUESTED, ClubRefusal.NO_INVITATION),
    (Action.DECLINE_INVITATION, JoinPolicy.OPEN, INVITED, ClubInvitationEnded(CLUB, BOB)),
    (Action.DECLINE_INVITATION, JoinPolicy.OPEN, MEMBER, ClubRefusal.NO_INVITATION),
    (Action.LEAVE, JoinPolicy.OPEN, MEMBER, OUT),
    (Action.LEAVE, JoinPolicy.OPEN, OFFICER, OUT),
    (Action.LEAVE, JoinPolicy.OPEN, OWNER, ClubRefusal.OWNER_STAYS),
    (Action.LEAVE, JoinPolicy.OPEN, STRANGER, ClubRefusal.NOT_A_MEMBER),
]


@pytest.mark.parametrize(("action", "policy", "tie", "expected"), OWN)
def test_players_act_for_themselves_as_tie_and_policy_allow(
    action: Action, policy: JoinPolicy, tie: Tie, expected: ClubEvent | ClubRefusal
) -> None:
    """One fact, or the reason why not."""
    decided = decide(action, of_oneself(tie, policy))

    assert decided == (expected if isinstance(expected, ClubRefusal) else (expected,))


STAFF = [
    (Action.ACCEPT_REQUEST, REQUESTED, IN),
    (Action.ACCEPT_REQUEST, INVITED, ClubRefusal.NO_JOIN_REQUEST),
    (Action.DECLINE_REQUEST, REQUESTED, ClubJoinRequestEnded(CLUB, BOB)),
    (Action.DECLINE_REQUEST, STRANGER, ClubRefusal.NO_JOIN_REQUEST),
    (Action.INVITE, STRANGER, ClubPlayerInvited(CLUB, BOB)),
    (Action.INVITE, INVITED, ClubRefusal.ALREADY_INVITED),
    (Action.INVITE, REQUESTED, ClubRefusal.ALREADY_REQUESTED),
    (Action.INVITE, MEMBER, ClubRefusal.ALREADY_A_MEMBER),
    (Action.WITHDRAW_INVITATION, INVITED, ClubInvitationEnded(CLUB, BOB)),
    (Action.WITHDRAW_INVITATION, REQUESTED, ClubRefusal.NO_INVITATION),
    (Action.REMOVE, MEMBER, OUT),
    (Action.REMOVE, STRANGER, ClubRefusal.NOT_A_MEMBER),
]


@pytest.mark.parametrize(("action", "tie", "expected"), STAFF)
@pytest.mark.parametrize("role", [ClubRole.OWNER, ClubRole.OFFICER, ClubRole.MEMBER, None])
def test_owner_and_officers_let_in_and_out(
    action: Action, tie: Tie, expected: ClubEvent | ClubRefusal, role: ClubRole | None
) -> None:
    """Plain members and strangers may not, whatever the tie."""
    decided = decide(action, seen(role, tie))

    if role in (ClubRole.MEMBER, None):
        assert decided is ClubRefusal.ROLE_TOO_LOW
    else:
        assert decided == (expected if isinstance(expected, ClubRefusal) else (expected,))


@pytest.mark.parametrize("tie", [OFFICER, OWNER])
def test_an_officer_removes_plain_members_only(tie: Tie) -> None:
    """Neither another officer nor the owner; the owner removes officers."""
    assert decide(Action.REMOVE, seen(ClubRole.OFFICER, tie)) is ClubRefusal.ROLE_TOO_LOW
    assert decide(Action.REMOVE, seen(ClubRole.OWNER, OFFICER)) == (OUT,)


def test_the_owner_sets_roles_and_hands_the_club_over() -> None:
    """Up, down, no change, and the hand-over, which leaves the club one owner after the last fact."""
    changed = ClubRoleChanged(CLUB, BOB, ClubRole.OFFICER)

    assert decide(Action.MAKE_OFFICER, seen(ClubRole.OWNER, MEMBER)) == (changed,)
    assert decide(Action.MAKE_OFFICER, seen(ClubRole.OWNER, OFFICER)) == ()
    assert decide(Action.MAKE_OWNER, seen(ClubRole.OWNER, MEMBER)) == (
        ClubRoleChanged(CLUB, ANA, ClubRole.OFFICER),
        ClubRoleChanged(CLUB, BOB, ClubRole.OWNER),
    )
    assert decide(Action.MAKE_MEMBER, seen(ClubRole.OWNER, STRANGER)) is ClubRefusal.NOT_A_MEMBER
    for role in (ClubRole.OFFICER, ClubRole.MEMBER, None):
        assert decide(Action.MAKE_MEMBER, seen(role, OFFICER)) is ClubRefusal.ROLE_TOO_LOW


@pytest.mark.parametrize(
    ("action", "see"),
    [
        (Action.JOIN, of_oneself(STRANGER)),
        (Action.ACCEPT_INVITATION, of_oneself(INVITED)),
        (Action.ACCEPT_REQUEST, seen(ClubRole.OWNER, REQUESTED)),
    ],
)
def test_no_way_in_passes_the_limit_or_another_club(action: Action, see: Seen) -> None:
    """One place left lets in; none, or less than none after a lower limit, does not."""
    assert decide(action, replace(see, members=4)) == (IN,)
    assert decide(action, replace(see, members=5)) is ClubRefusal.CLUB_FULL
    assert decide(action, replace(see, members=9)) is ClubRefusal.CLUB_FULL
    assert decide(action, replace(see, is_elsewhere=True)) is ClubRefusal.IN_ANOTHER_CLUB


def test_what_waits_has_a_bound() -> None:
    """A hundred requests and as many invitations at a club, ten requests of a player."""
    asks, invites = of_oneself(STRANGER, JoinPolicy.BY_REQUEST), seen(ClubRole.OWNER, STRANGER)
    full = ClubRefusal.TOO_MANY_WAITING

    assert decide(Action.REQUEST, replace(asks, requests=CLUB_WAITING_MAX)) is full
    assert decide(Action.REQUEST, replace(asks, own_requests=PLAYER_REQUESTS_MAX)) is full
    assert decide(Action.INVITE, replace(invites, invitations=CLUB_WAITING_MAX)) is full
    assert decide(Action.REQUEST, replace(asks, invitations=CLUB_WAITING_MAX)) == (
        ClubJoinRequested(CLUB, BOB),
    )


def test_a_club_ends_with_its_last_member_or_by_an_operator() -> None:
    """The owner alone in it leaves or disbands; an operator disbands with everybody in it."""
    alone = replace(of_oneself(OWNER), members=1, everybody=(BOB,))
    crowd = replace(seen(ClubRole.OWNER, STRANGER), everybody=(ANA, BOB, UUID(int=9)))
    operator = replace(crowd, actor=None, actor_role=None)
    ended = (OUT, ClubDisbanded(CLUB))

    assert decide(Action.LEAVE, alone) == ended
    assert decide(Action.DISBAND, alone) == ended
    assert decide(Action.DISBAND, crowd) is ClubRefusal.CLUB_NOT_EMPTY
    assert decide(Action.DISBAND, replace(crowd, actor_role=ClubRole.OFFICER)) is ClubRefusal.ROLE_TOO_LOW
    assert decide(Action.DISBAND, operator) == (
        *(ClubMemberLeft(CLUB, account) for account in operator.everybody),
        ClubDisbanded(CLUB),
    )


def test_a_tie_is_the_fold_of_its_facts() -> None:
    """Asked, in, up, out: the tie after each; facts of others leave it alone."""
    facts: list[TieEvent] = [
        ClubJoinRequested(CLUB, BOB),
        IN,
        ClubRoleChanged(CLUB, BOB, ClubRole.OFFICER),
        OUT,
        ClubPlayerInvited(CLUB, BOB),
    ]
    ties = [STRANGER]
    for fact in facts:
        ties.append(evolve(ties[-1], fact))

    assert ties == [STRANGER, REQUESTED, MEMBER, OFFICER, STRANGER, INVITED]
    assert tie_after([ClubMemberLeft(CLUB, ANA), ClubDisbanded(CLUB)], BOB, OFFICER) == OFFICER


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("", ""),
        ("  We play\r\nat noon. \n", "We play\nat noon."),
        ("cafe\u0301", "café"),
        ("x" * 501, TextFault.LENGTH),
        ("\n".join("0123456789"), "\n".join("0123456789")),
        ("\n".join("0123456789a"), TextFault.LINES),
        ("tab\there", TextFault.INVISIBLE),
        ("right\u202eleft", TextFault.INVISIBLE),
        ("line\u2028end", TextFault.INVISIBLE),
        ("z\u0351\u0352\u0353", TextFault.MARKS),
    ],
)
def test_descriptions_are_short_visible_text(raw: str, expected: str | TextFault) -> None:
    """Composed and trimmed; ten lines of visible characters, five hundred in all."""
    assert parse_description(raw) == expected
