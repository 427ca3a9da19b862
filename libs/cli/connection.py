"""Where Sparrow is, and who plays: found from options, environment, and what runs on this machine."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import platformdirs
import typer
from rich.markup import escape

from libs.cli.terminal import fail
from libs.client.calls import Retries
from libs.client.channel import require_answer
from libs.client.client import SparrowClient
from libs.client.devices import FileDeviceStore
from libs.runtime.data_folder import read_announcement
from libs.runtime.failure import StartupFailure
from libs.runtime.places import DEFAULT_DATA_DIR

if TYPE_CHECKING:  # slow to import, and most commands find Sparrow without
    from libs.runtime.config import Settings

EndpointOption = Annotated[
    str | None,
    typer.Option("--endpoint", envvar="SPARROW_ENDPOINT", metavar="HOST:PORT", help="where Sparrow listens"),
]
ProfileOption = Annotated[
    str, typer.Option("--profile", metavar="NAME", help="which local player; made on first use")
]
DataDirOption = Annotated[
    Path | None,
    typer.Option("--data-dir", help="data folder of a Sparrow on this machine (SPARROW_DATA_DIR)"),
]
LanguageOption = Annotated[
    str | None,
    typer.Option(
        "--language",
        envvar="SPARROW_LANGUAGE",
        metavar="LANGUAGE",
        help="what the server's sentences are in: en, es, pl, fa or ro; else that of the shell",
    ),
]
DEFAULT_PROFILE = "default"
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*")
_PROFILE_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


def find_settings(data_dir: Path | None = None) -> Settings:
    """Return the settings of this machine, as `make run` would read them."""
    from libs.runtime.config import read_settings

    try:
        return read_settings() if data_dir is None else read_settings(data_dir=data_dir)
    except StartupFailure as failure:
        fail(escape(str(failure)))


def find_endpoint(given: str | None, settings: Settings | None = None) -> str:
    """Return the given endpoint, else that of the Sparrow on the data folder, else the default.

    Without settings, they are read only where the environment alone does not lead to a running Sparrow.
    """
    if given:
        return given
    if settings is None and (told := _told_on(_data_dir_by_environment())):
        return told
    settings = settings or find_settings()
    return _told_on(settings.data_dir) or settings.endpoint


def _data_dir_by_environment() -> Path | None:
    """Return the data folder where no file of settings has a say; else none."""
    if os.environ.get("SPARROW_CONFIG_FILE") or os.environ.get("SPARROW_SECRETS_DIR"):
        return None
    return Path(os.environ.get("SPARROW_DATA_DIR") or DEFAULT_DATA_DIR)


def _told_on(data_dir: Path | None) -> str | None:
    """Return the endpoint announced on a data folder; none where a port was asked for instead."""
    facts = None if data_dir is None or "SPARROW_PORT" in os.environ else read_announcement(data_dir)
    return None if facts is None else str(facts["endpoint"])


def device_store(profile: str, endpoint: str) -> FileDeviceStore:
    """Return where a local player's key for one server is kept: no server is ever shown another one's key."""
    if not _PROFILE_NAME.fullmatch(profile):
        fail("A profile name has 1 to 40 letters, digits, dashes and underscores")
    server = re.sub(r"[^A-Za-z0-9.-]", "_", endpoint)
    folder = Path(os.environ.get("SPARROW_CONFIG_DIR") or platformdirs.user_config_path("sparrow"))
    return FileDeviceStore(folder / "devices" / server / f"{profile}.key")


def find_language(given: str | None = None) -> str:
    """Return the given language, else SPARROW_LANGUAGE's, else the shell's, as `accept-language` tells it.

    "" where none of them names one: the shell's may be C or POSIX.
    """
    if given is not None and not _LANGUAGE.fullmatch(given):
        fail("A language is written like en, es, pl, fa or ro")
    variables = ("SPARROW_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    told = given or next((os.environ[name] for name in variables if os.environ.get(name)), "")
    tag = told.partition(".")[0].partition("@")[0]
    is_language = _LANGUAGE.fullmatch(tag) is not None and tag != "POSIX"
    return tag.replace("_", "-") if is_language else ""


async def connect(
    endpoint: str, profile: str, retry_for_s: float = 10.0, language: str | None = None
) -> SparrowClient:
    """Sign in as a local player. Where nothing listens, UnreachableError is raised soon."""
    reads = find_language(language)
    await require_answer(endpoint)
    store = device_store(profile, endpoint)
    try:
        store.load()
    except (OSError, ValueError) as error:
        fail(escape(str(error)))
    return await SparrowClient.connect(
        endpoint, store=store, retries=Retries(for_s=retry_for_s), language=reads
    )
