"""Race ratings and chips of a demo: what they must be by what the bots saw acknowledged."""

from __future__ import annotations

from libs.cli.demo.holdings import differing, uneven_pots, without_end
from libs.cli.demo.journal import Journal, Pot
from libs.cli.demo.player import BotPlayer, Pace
from libs.cli.demo.pools import PoolPlayer
from libs.cli.demo.races import RacePlayer
from libs.cli.demo.run import Plan

ANA, BEN, EVE = "players/ana", "players/ben", "players/eve"


def journal() -> Journal:
    """Two players with a thousand chips each."""
    return Journal(lambda: 0.0, chips_before={ANA: 1_000, BEN: 1_000})


def test_chips_are_what_they_were_and_what_every_pot_brought() -> None:
    """Who paid no stake loses none; who is told of a match twice counts it once."""
    told, pot = journal(), Pot(100, frozenset({ANA, BEN}), {ANA: 150, BEN: 50})
    told.paid_out("matches/1", pot)
    told.paid_out("matches/1", pot)
    told.paid_out("matches/2", Pot(100, frozenset({BEN, EVE}), {BEN: 0, EVE: 200, ANA: 0}))

    assert told.chips == {ANA: 1_050, BEN: 850}
    assert uneven_pots(told) == []


def test_a_pot_that_gives_out_more_or_less_than_was_staked_is_found() -> None:
    """Chips are neither made nor lost."""
    told = journal()
    told.paid_out("matches/1", Pot(100, frozenset({ANA, BEN}), {ANA: 199, BEN: 0}))

    assert uneven_pots(told) == ["pot: matches/1 took 200 chips and gave 199"]


def test_a_match_without_end_is_wrong_unless_somebody_else_sits_in_it() -> None:
    """A person may play on for ten minutes; bots have all left."""
    told = journal()
    told.unended = {"matches/1": frozenset({ANA, BEN}), "matches/2": frozenset({ANA, EVE})}

    assert without_end(told) == ["pot: matches/1 did not end"]


def test_a_rating_is_what_the_last_race_said() -> None:
    """One that is not shown at all differs too; an unrated race says nothing."""
    told = journal()
    told.raced("matches/1", ANA, 1_550)
    told.raced("matches/2", ANA, 1_540)
    told.raced("matches/3", ANA, None)

    assert differing("rating", told.ratings, {ANA: 1_540}) == []
    assert differing("rating", told.ratings, {ANA: None}) == [
        "rating: players/ana has None, acknowledged were 1540"
    ]
    assert len(told.races) == 3


def test_every_player_of_a_demo_has_a_mode() -> None:
    """Races and pots come after the arenas; who is left plays levels."""
    plan = Plan("h:1", 8, 1.0, 1, Pace(0, 1.0), live=False, race=2, pool=4)
    kinds = [plan.kind_of(number) for number in range(8)]

    assert kinds == [RacePlayer] * 2 + [PoolPlayer] * 4 + [BotPlayer] * 2
