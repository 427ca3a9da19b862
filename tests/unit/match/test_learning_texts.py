"""What the learning board says, in five languages."""

from __future__ import annotations

from libs.runtime.languages.negotiation import LANGUAGES
from services.match.domain.learning.play import BEGINNING, AskHint, Note, Touch, play
from services.match.domain.learning.script import Step, board
from services.match.learning.sayings import COUNTED, DOMAIN, FOLDER, explanation, instruction, sayings
from tests.support.catalogues import counts_as_its_language_does, flaws, is_isolated
from tests.unit.match.test_learning_script import at

KEYS = {f"STEP_{step}" for step in Step} | {f"NOTE_{note}" for note in Note}


def test_every_step_and_note_has_a_sound_text_in_all_five_languages_and_none_is_unused() -> None:
    """No key is missing or unused, no placeholder is broken, every plural form is there."""
    assert flaws(FOLDER, DOMAIN, KEYS, set(COUNTED)) == []
    assert all(counts_as_its_language_does(FOLDER, DOMAIN, language) for language in LANGUAGES)


def test_every_value_of_a_text_is_known() -> None:
    """No explanation has three dots where a tile belongs."""
    for language in LANGUAGES:
        told = [play(BEGINNING, Touch(tile)) for tile in range(board().size)]
        told += [play(at(Step.HINT), AskHint()), play(at(Step.HINT), Touch(3))]
        assert all("…" not in explanation(outcome, language) for outcome in told)
        assert all("…" not in instruction(at(step), language) for step in Step)


def test_tiles_that_are_left_are_counted_with_the_right_form() -> None:
    """As people say it."""
    position = at(Step.CLEAR)

    assert position.present.bit_count() == 28
    assert "28 tiles are left" in instruction(position, "en")
    assert "quedan 28 fichas" in instruction(position, "es")
    assert "zostało 28 płytek" in instruction(position, "pl")
    assert "au mai rămas 28 de piese" in instruction(position, "ro")
    assert is_isolated(instruction(position, "fa"), "28")
    two = {"count": 2}
    assert "zostały 2 płytki" in sayings().text("STEP_CLEAR", "pl", two, count=2)
    assert "au mai rămas 2 piese" in sayings().text("STEP_CLEAR", "ro", two, count=2)
