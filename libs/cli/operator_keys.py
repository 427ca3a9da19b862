"""Operator tokens: signed on the spot by the operator's key, good for one command."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from libs.cli.terminal import fail
from libs.client.session import utc_now
from libs.runtime.config import Settings
from libs.runtime.tokens import KeysMissingError, mint_operator_token

TOKEN_VALID = timedelta(minutes=1)

KeyFileOption = Annotated[Path | None, typer.Option(help="the operator key; else that of the data folder")]


def operator_token(key_file: Path | None, settings: Settings, name: str) -> str:
    """Return a token that is good for one command, signed by the key of the file or of the data folder."""
    try:
        return mint_operator_token(
            key_file or settings.keys_path / "operator.key", name, TOKEN_VALID, utc_now()
        )
    except KeysMissingError as error:
        fail(escape(str(error)))
