"""What is true of every catalogue of texts: the same keys, placeholders and plural forms in all languages."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from babel.core import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from libs.runtime.languages.catalogue import END_OF_ISOLATE, ISOLATE
from libs.runtime.languages.negotiation import LANGUAGES

TEXT_BYTES_MAX = 400
_PLACEHOLDER = re.compile(r"\{[a-z_]+\}")
_BIDI_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def catalogue(folder: Path, domain: str, language: str) -> Catalog:
    """Return the catalogue of a language as Babel reads it."""
    with (folder / f"{domain}.{language}.po").open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def texts_of(message: Message) -> list[str]:
    """Return the forms of a message; one where it counts nothing."""
    return [message.string] if isinstance(message.string, str) else list(message.string or ())


def flaws(folder: Path, domain: str, keys: set[str], counted: set[str]) -> list[str]:
    """Return what is wrong with the catalogues of a domain that is to have exactly these keys."""
    found: list[str] = []
    english = {message.id: message for message in catalogue(folder, domain, "en")}
    for language in LANGUAGES:
        told = catalogue(folder, domain, language)
        messages = {_key(message): message for message in told if message.id}
        found += [f"{language}: {key} is missing" for key in sorted(keys - messages.keys())]
        found += [f"{language}: {key} is unused" for key in sorted(messages.keys() - keys)]
        for key, message in messages.items():
            found += [
                f"{language}: {key} {flaw}" for flaw in _flaws(message, key in counted, told.num_plurals)
            ]
            original = next((each for name, each in english.items() if _key_of(name) == key), None)
            if original is not None and _placeholders(original) != _placeholders(message):
                found.append(f"{language}: {key} has other placeholders than English")
    return found


def _flaws(message: Message, is_counted: bool, plurals: int) -> list[str]:
    forms = texts_of(message)
    found = []
    if (len(forms) != plurals) if is_counted else isinstance(message.id, tuple):
        found.append("has not the plural forms of its language")
    if len({tuple(sorted(Counter(_PLACEHOLDER.findall(form)).items())) for form in forms}) > 1:
        found.append("has forms with different placeholders")
    for form in forms:
        if not form.strip() or form != form.strip():
            found.append("is empty, or has white space around it")
        if re.search(r"[{}%]", _PLACEHOLDER.sub("", form)):
            found.append("has a broken placeholder")
        if _BIDI_MARKS.search(form):
            found.append("has marks of direction, which are put in with the values")
        if len(form.encode()) > TEXT_BYTES_MAX:
            found.append("is too long")
        if "fuzzy" in message.flags:
            found.append("is a guess")
    return found


def counts_as_its_language_does(folder: Path, domain: str, language: str) -> bool:
    """Whether the catalogue chooses between the same numbers as Unicode's rules for whole numbers."""
    header = catalogue(folder, domain, language)
    rule = Locale.parse(language).plural_form
    forms: dict[str, set[int]] = {}
    for number in range(1_001):
        forms.setdefault(rule(number), set()).add(header_form(header, number))
    return all(len(indices) == 1 for indices in forms.values()) and len(set().union(*forms.values())) == len(
        forms
    )


def header_form(header: Catalog, number: int) -> int:
    """Return which of its plural forms a catalogue takes for a number."""
    from gettext import c2py

    return int(c2py(header.plural_expr)(number))


def is_isolated(text: str, value: str) -> bool:
    """Whether a value stands in the text with its direction kept to itself."""
    return f"{ISOLATE}{value}{END_OF_ISOLATE}" in text


def _key(message: Message) -> str:
    return _key_of(message.id)


def _key_of(name: object) -> str:
    return str(name[0]) if isinstance(name, tuple) else str(name)


def _placeholders(message: Message) -> set[str]:
    return {found for form in texts_of(message) for found in _PLACEHOLDER.findall(form)}
