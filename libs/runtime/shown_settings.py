"""Settings as people read them: what a process runs with, secrets masked; and the table of all of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args
from urllib.parse import urlsplit

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from libs.runtime.config import REPOSITORY, Settings

STARS: Final = "**********"


def shown_settings(settings: Settings) -> str:
    """Return a line per setting, `SPARROW_NAME=value`; of a secret address, only where it leads."""
    lines = [f"SPARROW_{name.upper()}={_value(getattr(settings, name))}" for name in Settings.model_fields]
    return "\n".join(lines)


def settings_table() -> str:
    """Return a Markdown table of all settings, with their defaults."""
    return "\n".join(["| variable | default | what it is |", "|---|---|---|", *_rows()])


def is_secret(name: str) -> bool:
    """Whether a setting is one to keep in a file that few may read."""
    annotation = Settings.model_fields[name].annotation
    return annotation is SecretStr or SecretStr in get_args(annotation)


def _rows() -> Iterator[str]:
    for name, field in Settings.model_fields.items():
        secret = " A secret." if is_secret(name) else ""
        sentence = " ".join(str(field.description).split())
        yield f"| `SPARROW_{name.upper()}` | {_default(field)} | {sentence}{secret} |"


def _default(field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(default, Path):
        return f"`{default.relative_to(REPOSITORY)}` in the repository"
    return f"`{_value(default)}`" if default not in (None, {}) else ""


def _value(value: Any) -> str:
    if isinstance(value, SecretStr):
        return _masked(value.get_secret_value())
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, dict | bool) else str(value)


def _masked(secret: str) -> str:
    """Return an address without user, password and parameters; whatever is no address, as stars alone."""
    try:
        parts = urlsplit(secret)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return STARS
    if not parts.hostname or "@" not in parts.netloc:
        return STARS
    return f"{parts.scheme}://{STARS}@{parts.hostname}{port}{parts.path}"
