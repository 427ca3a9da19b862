"""Catalogues of texts: gettext's `.po` files, one per language, compiled as they are loaded.

Texts are found by keys that say what they are for, never by their English: so English is a catalogue too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Final

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from libs.runtime.languages.negotiation import LANGUAGES, Language

VALUE_MAX: Final = 80
"""Characters of a value in a text; longer ones are cut."""
RIGHT_TO_LEFT: Final[frozenset[Language]] = frozenset({"fa"})
ISOLATE, END_OF_ISOLATE = "\u2068", "\u2069"
"""Around a value in a text that runs from the right, so that its direction disturbs no neighbour's."""
_PLACEHOLDER: Final = re.compile(r"\{([a-z_]+)\}")
_NO_VALUES: Final[Mapping[str, object]] = MappingProxyType({})


class Catalogue:
    """The texts of one domain in all languages."""

    def __init__(self, folder: Path, domain: str) -> None:
        """Load `<domain>.<language>.po` from the folder. Raises OSError where a language is missing."""
        self._texts = {language: _compiled(folder, domain, language) for language in LANGUAGES}

    def text(
        self,
        key: str,
        language: Language,
        values: Mapping[str, object] = _NO_VALUES,
        count: int | None = None,
    ) -> str:
        """Return the text with its values put in, or "" where there is no such key.

        With a count, the form of the language's plural is chosen by it, where the text has forms.
        """
        texts = self._texts[language]
        found = texts.gettext(key) if count is None else texts.ngettext(key, key, count)
        if found == key:
            return ""
        return _PLACEHOLDER.sub(lambda match: _shown(values.get(match[1]), language), found)


def _shown(value: object, language: Language) -> str:
    """Return a value as a text shows it: on one line, not too long; one that is not known is three dots."""
    text = "…" if value is None else "".join(c if c.isprintable() else " " for c in str(value))
    text = text if len(text) <= VALUE_MAX else text[: VALUE_MAX - 1] + "…"
    return f"{ISOLATE}{text}{END_OF_ISOLATE}" if language in RIGHT_TO_LEFT else text


def _compiled(folder: Path, domain: str, language: Language) -> GNUTranslations:
    with (folder / f"{domain}.{language}.po").open("rb") as file:
        catalogue = read_po(file, locale=language, abort_invalid=True)
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)
