"""Where Sparrow is, and who plays: found from options, environment, and what runs on this machine."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated

import platformdirs
import typer
from rich.markup import escape

from libs.cli.terminal import fail
from libs.client.calls import Retries
from libs.client.channel import require_answer
from libs.client.client import SparrowClient
from libs.client.devices import FileDeviceStore
from libs.runtime.config import Settings, read_settings
from libs.runtime.data_folder import read_announcement
from libs.runtime.failure import StartupFailure

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
DEFAULT_PROFILE = "default"
_PROFILE_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


def find_settings(data_dir: Path | None = None) -> Settings:
    """Return the settings of this machine, as `make run` would read them."""
    try:
        return read_settings() if data_dir is None else read_settings(data_dir=data_dir)
    except StartupFailure as failure:
        fail(escape(str(failure)))


def find_endpoint(given: str | None, settings: Settings) -> str:
    """Return the given endpoint, else that of the Sparrow on the data folder, else the default."""
    if given:
        return given
    facts = read_announcement(settings.data_dir)
    if facts is not None and "SPARROW_PORT" not in os.environ:
        return str(facts["endpoint"])
    return settings.endpoint


def device_store(profile: str, endpoint: str) -> FileDeviceStore:
    """Return where a local player's key for one server is kept: no server is ever shown another one's key."""
    if not _PROFILE_NAME.fullmatch(profile):
        fail("A profile name has 1 to 40 letters, digits, dashes and underscores")
    server = re.sub(r"[^A-Za-z0-9.-]", "_", endpoint)
    folder = Path(os.environ.get("SPARROW_CONFIG_DIR") or platformdirs.user_config_path("sparrow"))
    return FileDeviceStore(folder / "devices" / server / f"{profile}.key")


async def connect(endpoint: str, profile: str, retry_for_s: float = 10.0) -> SparrowClient:
    """Sign in as a local player. Where nothing listens, UnreachableError is raised soon."""
    await require_answer(endpoint)
    store = device_store(profile, endpoint)
    try:
        store.load()
    except (OSError, ValueError) as error:
        fail(escape(str(error)))
    return await SparrowClient.connect(endpoint, store=store, retries=Retries(for_s=retry_for_s))
