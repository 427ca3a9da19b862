"""What may be done at a table of MCR, and the keys for it."""

from __future__ import annotations

import re
from dataclasses import replace

from libs.cli.mcr.play.choices import Choice, choice_lines, choices, chosen
from libs.cli.mcr.play.standing import standing
from libs.cli.mcr.tiles import name
from libs.cli.table_bot import automatic
from libs.client.deal_views import Action, ActionKind
from libs.rules.mcr.wall import TileId
from tests.support.mcr_client_play import moments


def test_every_legal_action_has_a_key_and_no_two_have_the_same() -> None:
    """Up to copies that nobody can tell apart; a key leads back to its action."""
    for number in range(6):
        for moment in moments(number, seat=number % 4):
            deal = moment.told
            among = choices(deal)
            assert {(one.action.kind, tuple(map(name, one.action.tiles))) for one in among} == {
                (action.kind, tuple(map(name, action.tiles))) for action in deal.actions
            }
            assert len({one.key for one in among}) == len(among)
            assert all(chosen(among, one.key) == one.action for one in among)
            assert {one.action for one in among} <= set(deal.actions)


def test_the_number_of_a_discard_is_that_below_its_tile() -> None:
    """The drawn tile has the last one."""
    deal = next(moment.told for moment in moments(2) if moment.told.drawn is not None)
    hand = deal.seats[deal.seat or 0].hand
    last = chosen(choices(deal), str(len(hand)))

    assert last == Action(ActionKind.DISCARD, (deal.drawn,)) if deal.drawn is not None else False


CLAIMS = (
    Choice("c", Action(ActionKind.CHOW, (TileId(0), TileId(4)))),
    Choice("c2", Action(ActionKind.CHOW, (TileId(4), TileId(12)))),
    Choice("n", Action(ActionKind.PASS)),
)


def test_what_is_typed_is_taken_kindly() -> None:
    """Capitals, blanks, `c1`; a win may always be tried; anything else is no choice."""
    assert chosen(CLAIMS, " C ") == chosen(CLAIMS, "c1") == CLAIMS[0].action
    assert chosen(CLAIMS, "c2") == CLAIMS[1].action
    assert chosen(CLAIMS, "w") == Action(ActionKind.WIN)
    assert [chosen(CLAIMS, typed) for typed in ("", "1", "c3", "cc", "nn")] == [None] * 5
    assert chosen((), "w") is None


def test_choices_are_listed_with_their_tiles() -> None:
    """Discards in one line, the others in one each."""
    assert [line.plain for line in choice_lines(CLAIMS)] == [
        "  c    chow  ▌1m▌2m",
        "  c2   chow  ▌2m▌4m",
        "  n    pass",
    ]
    discards = [Choice(str(number), Action(ActionKind.DISCARD, (TileId(number),))) for number in (1, 2, 3)]
    assert [line.plain for line in choice_lines(discards)] == ["  1-3  discard that tile"]


def test_a_player_is_told_how_far_the_hand_is() -> None:
    """Before a draw what it waits for, on the own turn which discards are best; nothing at a bystander's."""
    said = {standing(moment.told) for number in range(6) for moment in moments(number, seat=number % 4)}
    kinds = {re.sub(r"(?<=waits for )\S+\.$|\d+(, \d+)*", "#", one) for one in said}

    assert kinds <= {
        *("Your hand is # tile from ready.", "Your hand is # tiles from ready."),
        *("Your hand waits for #", "Your hand waits for nothing that is left."),
        "Your hand is # tile from ready without tile #.",
        "Your hand is # tiles from ready without tile #.",
        "Your hand is ready without tile #.",
    }
    assert any(one.startswith("Your hand waits for") for one in said)
    deal = next(iter(moments(0))).told
    flowers = replace(deal.seats[0], hand=(*deal.seats[0].hand[:-1], TileId(143)))
    assert standing(replace(deal, seat=None)) == ""
    assert standing(replace(deal, seats=(flowers, *deal.seats[1:]))) == ""


def test_the_automatic_player_chooses_what_is_legal() -> None:
    """At every decision of some deals."""
    for number in range(4):
        for moment in moments(number, seat=number):
            if moment.told.actions:
                assert automatic(moment.told) in moment.told.actions
