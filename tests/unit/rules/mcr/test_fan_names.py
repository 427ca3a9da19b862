"""What the fans are called."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest

from libs.rules.mcr.fan_names import NAMES, Language, fan_name
from libs.rules.mcr.fans_table import FANS, MIXED_KONGS
from tests.support.mcr_hands import DATA

SCRIPTS = {
    Language.ENGLISH: re.compile(r"[A-Za-z]+(?:[ -][A-Za-z]+)*"),
    Language.CHINESE: re.compile(r"[\u4e00-\u9fff]{2,5}"),
    Language.PERSIAN: re.compile(r"[\u0622-\u064b\u0654\u067e\u0686\u0698\u06a9\u06af\u06cc\u200c ]+"),
}
NOT_PERSIAN = re.compile(r"[\u0643\u0649\u064a\u0629]")
"""Letters that Arabic writes in another way, which look the same."""


def test_every_fan_has_its_names_and_nothing_else_has() -> None:
    """The 81 of the rule book and of the recorded data, and the one without a number there."""
    recorded = json.loads((DATA / "fans.json").read_text())["fans"]

    assert list(NAMES) == [*(fan.number for fan in FANS), MIXED_KONGS.number]
    assert [(fan["number"], fan["name"], fan["chinese"].partition("(")[0]) for fan in recorded] == [
        (number, names.english, names.chinese)
        for number, names in NAMES.items()
        if number != MIXED_KONGS.number
    ]


@pytest.mark.parametrize("language", Language)
def test_names_of_a_language_are_unique_and_in_its_script(language: Language) -> None:
    """No two fans are called the same; no letter of another script, no doubled blank, nothing to trim."""
    names = [fan_name(number, language) for number in NAMES]

    assert len(set(names)) == len(names)
    assert [name for name in names if not SCRIPTS[language].fullmatch(name)] == []
    assert [name for name in names if name != " ".join(name.split())] == []
    assert [name for name in names if name != unicodedata.normalize("NFC", name)] == []


def test_persian_names_are_written_with_persian_letters() -> None:
    """And join no word to the next: a half-space stands between letters only."""
    names = [names.persian for names in NAMES.values()]

    assert [name for name in names if NOT_PERSIAN.search(name)] == []
    assert [name for name in names if re.search("(^| )\u200c|\u200c( |$)|\u200c\u200c", name)] == []


def test_what_is_alike_is_called_alike() -> None:
    """Sets, winds, dragons and flowers by the same word in every fan that is made of them."""
    words = {
        "Kong": "کانگ",
        "Pung": "پانگ",
        "Chow": "چاو",
        "Dragon": "اژدها",
        "Wind": "باد",
        "Wait": "انتظار",
    }
    for english, persian in words.items():
        told = [names.persian for names in NAMES.values() if english in names.english]
        assert [name for name in told if persian not in name] == []


def test_a_number_that_no_fan_has_is_no_fan() -> None:
    """Not the nearest one either."""
    with pytest.raises(KeyError):
        fan_name(83, Language.ENGLISH)
