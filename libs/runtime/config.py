"""All settings of a process, in one place.

Sources, the first that speaks wins: arguments of the program, environment variables `SPARROW_*`, one file per
secret in the folder `SPARROW_SECRETS_DIR`, the TOML file `SPARROW_CONFIG_FILE`, the defaults below.
"""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SecretsSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from libs.runtime import places
from libs.runtime.failure import StartupFailure
from libs.runtime.languages.negotiation import Language

REPOSITORY = places.REPOSITORY
DEFAULT_PORT = 7400
SERVICES = ("account", "ledger", "match", "mcr", "solitaire", "tournament")
PLACES = ("SPARROW_SECRETS_DIR", "SPARROW_CONFIG_FILE")
"""Variables that say where settings are; they are no settings themselves."""

Port = Annotated[int, Field(ge=1, le=65535)]


class Settings(BaseSettings):
    """Frozen settings; secrets print as stars, unknown names in a file are errors."""

    model_config = SettingsConfigDict(
        env_prefix="SPARROW_",
        env_ignore_empty=True,
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
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
    nats_monitor_url: str | None = None
    """`http://host:8222`, the monitor of that NATS: a process starts only if it flushes every message.
    None: it is not asked."""
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
    ticket_valid_s: Annotated[int, Field(ge=5, le=86_400)] = 300
    """How long a player's ticket waits in a queue before it expires."""
    quick_match_tiles_max: Annotated[int, Field(ge=18, le=144)] = 144
    """Boards of quick matches and arenas have at most so many tiles; 36 where no compiled solver is there."""
    pool_stake: Annotated[int, Field(ge=1, le=1_000_000)] = 100
    """Chips that each player of a pool match pays into the pot."""
    spectate_delay_s: Annotated[int, Field(ge=1, le=3_600)] = 30
    """Spectators are shown what happens so many seconds later."""
    spectators_per_match: Annotated[int, Field(ge=1, le=10_000)] = 100
    """How many may watch one match in a process."""
    spectators_max: Annotated[int, Field(ge=1, le=10_000)] = 500
    """How many may watch in a process; keep it below `streams_max`, where players need room."""
    fair_play_window_days: Annotated[int, Field(ge=1, le=90)] = 28
    """Play of so many days, UTC, is judged together."""
    fair_play_pace_ms: Annotated[int, Field(ge=100, le=1_000)] = 250
    """Flagged for an operator: more than half of a player's pairs in a mode took less than this."""
    fair_play_pairs_min: Annotated[int, Field(ge=20)] = 100
    """Of so many pairs at least."""
    fair_play_careful_per_mille: Annotated[int, Field(ge=1, le=999)] = 950
    """Of 1,000 crucial choices in quick matches and arenas careful play finds so many (906 were measured)."""
    fair_play_careful_hard_per_mille: Annotated[int, Field(ge=1, le=999)] = 880
    """The same on boards of a HARD level's difficulty (800 were measured)."""
    fair_play_choices_min: Annotated[int, Field(ge=20)] = 100
    """Flagged is a player of so many crucial choices at least, who found more than that share,"""
    fair_play_one_in: Annotated[int, Field(ge=1_000)] = 1_000_000_000
    """where careful play would do so at most once in so many players (exact binomial test)."""
    reports_per_day: Annotated[int, Field(ge=1, le=1_000)] = 10
    """How many reports of others a player may make in 24 hours."""
    club_members_max: Annotated[int, Field(ge=1, le=500)] = 50
    """The most members that a club may allow itself."""
    mcr_turn_ms: Annotated[int, Field(ge=100, le=600_000)] = 20_000
    """How long a seat at an MCR table may take for a turn."""
    mcr_claim_ms: Annotated[int, Field(ge=100, le=600_000)] = 8_000
    """How long a discard can be claimed."""
    mcr_hold_ms: Annotated[int, Field(ge=0, le=10_000)] = 1_000
    """How long a discard is offered at least where persons play; no longer than it can be claimed."""
    mcr_countdown_ms: Annotated[int, Field(ge=0, le=60_000)] = 3_000
    """Before the first turn of an MCR table with persons."""
    mcr_deal_pause_ms: Annotated[int, Field(ge=0, le=600_000)] = 10_000
    """Between two deals of an MCR table with persons."""
    mcr_ai_pause_ms: Annotated[int, Field(ge=0, le=10_000)] = 700
    """After which an AI player acts at an MCR table with persons."""
    mcr_lost_after_ms: Annotated[int, Field(ge=500, le=600_000)] = 30_000
    """The AI plays a seat at an MCR table whose stream is lost for so long, until its player returns."""
    mcr_fill_after_ms: Annotated[int, Field(ge=0, le=600_000)] = 20_000
    """A table of the queue begins so long after the first of those who wait came, with AI players beside."""
    default_language: Language = "en"
    """What players are told in where they ask for no language that is here: en, es, pl, fa or ro."""
    service_addresses: dict[str, str] = {}
    """JSON, `{"match": "host:port", …}`: where services are that run in other processes."""
    reflection: bool = True
    """Whether the gRPC server describes itself to clients."""
    free_space_min_mib: Annotated[int, Field(ge=0)] = 300
    """Embedded servers are not started with less free disk than this."""

    daily_doubling_receipt_key: SecretStr | None = None
    """What earns a doubling of the daily bonus. None: it is free. Else a receipt for the account and the day:
    HMAC-SHA256 in hex, under this key, over `daily/<account>/<YYYY-MM-DD>/double`."""

    purchase_receipt_key: SecretStr | None = None
    """Key under which the shop signs receipts for jokers; none: there is no shop. A receipt is
    `purchase/<receipt id>/<account>/<jokers>`, a slash, and HMAC-SHA256 in hex over what stands before it."""

    metrics_host: str = "127.0.0.1"
    """Address on which Prometheus reads this process."""
    metrics_port: Annotated[int, Field(ge=0, le=65534)] | None = None
    """Port of `GET /metrics`; 0: none. Not given: none either, but `make run` chooses two that are free.
    `make run` adds one for the worker process."""
    trace_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Share of all traces that is kept, the same in every process; 0: nothing is traced."""
    trace_to: Literal["file", "console", "otlp"] = "file"
    """Where spans go: `<data_dir>/traces/<process>.jsonl`, standard output, or a collector."""
    otlp_endpoint: str = "http://127.0.0.1:4317"
    """Where a collector takes spans by OTLP over gRPC."""
    log_format: Literal["json", "console"] = "json"
    """Lines for machines, or colours for people."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Lines below this are left out."""

    @field_validator("nats_monitor_url")
    @classmethod
    def _ask_by_http(cls, url: str | None) -> str | None:
        if url is not None and re.fullmatch(r"http://[^/@?#\s]+/?", url) is None:
            raise ValueError("http://host:port, without a path or a password")
        return url

    @field_validator("service_addresses")
    @classmethod
    def _name_services(cls, addresses: dict[str, str]) -> dict[str, str]:
        if strangers := sorted(addresses.keys() - set(SERVICES)):
            raise ValueError(f"there is no service {', '.join(strangers)}: there are {', '.join(SERVICES)}")
        return addresses

    @property
    def endpoint(self) -> str:
        """Where a client on this machine reaches the gRPC server: `host:port`."""
        return f"{reachable_host(self.host)}:{self.port}"

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
            _require(Path(secrets_dir).is_dir(), f"SPARROW_SECRETS_DIR: {secrets_dir} is no folder")
            sources.append(SecretsSettingsSource(settings_cls, secrets_dir=secrets_dir, env_prefix=""))
        if config_file := os.environ.get("SPARROW_CONFIG_FILE"):
            _require(Path(config_file).is_file(), f"SPARROW_CONFIG_FILE: {config_file} is no file")
            sources.append(_read_toml(settings_cls, config_file))
        return tuple(sources)


def reachable_host(host: str) -> str:
    """Return where a server on this machine is reached that listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)  # noqa: S104 compared, not bound


def read_settings(**given: object) -> Settings:
    """Return the settings of this process. Raises StartupFailure: a line per setting that is wrong."""
    try:
        return Settings(**given)  # type: ignore[arg-type] # pydantic judges them
    except ValidationError as error:
        problems = [
            (f"SPARROW_{'_'.join(map(str, problem['loc'])).upper()}", str(problem["msg"]))
            for problem in error.errors(include_input=False)
        ]
        lines = [f"{name}: {told.removeprefix('Value error, ')}" for name, told in problems]
        raise StartupFailure("\n".join(lines)) from None
    except SettingsError as error:
        raise StartupFailure(_told(error)) from None


def _read_toml(settings_cls: type[BaseSettings], config_file: str) -> TomlConfigSettingsSource:
    try:
        return TomlConfigSettingsSource(settings_cls, toml_file=config_file)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"SPARROW_CONFIG_FILE: {config_file} is no TOML: {error}") from None


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise SettingsError(sentence)


def _told(error: SettingsError) -> str:
    """Return our own sentence, or say of which setting pydantic could not read the JSON."""
    parsed = re.match(r'error parsing value for field "(\w+)"', str(error))
    return f"SPARROW_{parsed.group(1).upper()}: this is no JSON" if parsed else str(error)
