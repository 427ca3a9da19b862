"""All settings of a process, in one place.

Sources, the first that speaks wins: arguments of the program, environment variables `SPARROW_*`, one file per
secret in the folder `SPARROW_SECRETS_DIR`, the TOML file `SPARROW_CONFIG_FILE`, the defaults below.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SecretsSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from libs.runtime import places

REPOSITORY = places.REPOSITORY
DEFAULT_PORT = 7400

Port = Annotated[int, Field(ge=1, le=65535)]


class Settings(BaseSettings):
    """Frozen settings; secrets print as stars, unknown names in a file are errors."""

    model_config = SettingsConfigDict(
        env_prefix="SPARROW_", env_ignore_empty=True, frozen=True, extra="forbid"
    )

    host: str = "127.0.0.1"
    """Address the gRPC server listens on."""
    port: Port = DEFAULT_PORT
    """Port of the gRPC server; all services share it when they run in one process."""
    site: str = "local"
    """Part of the source of every event: which installation of Sparrow it came from."""

    data_dir: Path = places.DEFAULT_DATA_DIR
    """Folder of the embedded servers, the keys and the logs."""
    database_url: SecretStr | None = None
    """`postgresql://user:password@host:port/database`; none: the embedded PostgreSQL is started."""
    nats_url: SecretStr | None = None
    """`nats://user:password@host:port`; none: the embedded NATS is started."""
    keys_dir: Path | None = None
    """Folder of the signing keys; none: `<data_dir>/keys`, generated where absent."""
    postgres_bin_dir: Path | None = None
    """Programs of an installed PostgreSQL to start in place of those that come with the wheel."""

    database_pool_max: Annotated[int, Field(ge=1, le=50)] = 5
    """Connections each service may hold in its pool."""
    drain_grace_ms: Annotated[int, Field(ge=0)] = 5_000
    """How long running calls may take to end once a process is told to stop."""
    message_bytes_max: Annotated[int, Field(ge=1_024)] = 256 * 1_024
    """Larger requests are refused with an ErrorInfo."""
    received_bytes_max: Annotated[int, Field(ge=1_024)] = 16 * 1_024 * 1_024
    """Larger messages are refused by gRPC, unread and without an ErrorInfo. The memory that strangers can
    claim is this times their open calls: lower it where they can connect without a proxy."""
    calls_max: Annotated[int, Field(ge=1)] = 4_000
    """Calls a process serves at once, open streams among them."""
    streams_per_player: Annotated[int, Field(ge=1)] = 8
    """Streams one player may hold open in a process."""
    stream_write_timeout_ms: Annotated[int, Field(ge=1)] = 20_000
    """A stream whose client takes no message for so long is ended; it may resume."""
    streams_max: Annotated[int, Field(ge=1)] = 2_000
    """Streams a process holds open in all."""
    connection_streams_max: Annotated[int, Field(ge=1)] = 1_000
    """Calls at once on one connection; further ones wait at the client."""
    connection_age_max_s: Annotated[int, Field(ge=1)] | None = None
    """Connections older than this are closed in good order, so that clients spread over replicas."""
    service_addresses: dict[str, str] = {}
    """`host:port` of services that run elsewhere, by name; those not named are reached at `endpoint`."""
    reflection: bool = True
    """Whether the gRPC server describes itself to clients."""
    free_space_min_mib: Annotated[int, Field(ge=0)] = 300
    """Embedded servers are not started with less free disk than this."""

    log_format: Literal["json", "console"] = "json"
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @property
    def endpoint(self) -> str:
        """Where a client on this machine reaches the gRPC server: `host:port`."""
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)  # noqa: S104 compared, not bound
        return f"{host}:{self.port}"

    @property
    def keys_path(self) -> Path:
        """The folder of the signing keys, given or default."""
        return self.keys_dir if self.keys_dir is not None else self.data_dir / "keys"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 the signature is the library's
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Name the sources in their order; a file or folder is read only where the environment names one."""
        sources = [init_settings, env_settings]
        if secrets_dir := os.environ.get("SPARROW_SECRETS_DIR"):
            sources.append(SecretsSettingsSource(settings_cls, secrets_dir=secrets_dir, env_prefix=""))
        if config_file := os.environ.get("SPARROW_CONFIG_FILE"):
            sources.append(TomlConfigSettingsSource(settings_cls, toml_file=config_file))
        return tuple(sources)
