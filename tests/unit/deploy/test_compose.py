"""Docker Compose takes the file, and what the file says exists in the code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from libs.runtime.config import PLACES, SERVICES, Settings, read_settings
from libs.runtime.run import service_parser
from libs.runtime.shown_settings import is_secret
from libs.runtime.tokens import Keys
from services.__main__ import argument_parser
from tests.support.manifests import COMPOSE, Object, compose

VARIABLES = {f"SPARROW_{name.upper()}" for name in Settings.model_fields} | set(PLACES)


@pytest.fixture(scope="module")
def told() -> Object:
    """The file as Docker Compose reads it."""
    return compose()


@pytest.fixture(scope="module")
def secrets_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What make-secrets.sh makes."""
    folder = tmp_path_factory.mktemp("compose") / "secrets"
    make = [COMPOSE.with_name("make-secrets.sh"), folder]
    for _ in range(2):  # the second time it leaves everything as it is
        subprocess.run(make, env={"PATH": "/usr/bin:/bin", "PYTHON": sys.executable}, check=True)
    return folder


def laid_out(told: Object, service: str, secrets_dir: Path, root: Path) -> Path:
    """Copy the secrets of a container to where it sees them, below a folder."""
    for mounted in told["services"][service]["secrets"]:
        target = root / mounted["target"].lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        declared = Path(told["secrets"][mounted["source"]]["file"])
        made = secrets_dir / declared.relative_to(COMPOSE.with_name("secrets"))
        target.write_bytes(made.read_bytes())
    return root


def test_every_service_has_a_container_with_arguments_that_exist(told: Object) -> None:
    """And the migration goes first."""
    for name in SERVICES:
        program, *arguments = told["services"][name]["command"]
        assert program == f"services.{name}"
        assert service_parser(name).parse_args(arguments).role == "both"
        wait = told["services"][name]["depends_on"]["migrate"]["condition"]
        assert wait == "service_completed_successfully"
    program, *arguments = told["services"]["migrate"]["command"]
    assert program == "services"
    assert argument_parser().parse_args(arguments).migrate


def test_every_variable_is_a_setting_and_no_secret(told: Object) -> None:
    """A slip of the pen would be a variable that nobody reads."""
    names = {name for one in told["services"].values() for name in one.get("environment", {})}
    secrets = {f"SPARROW_{name.upper()}" for name in Settings.model_fields if is_secret(name)}

    assert {name for name in names if name.startswith("SPARROW_")} <= VARIABLES - secrets


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_reads_the_settings_that_it_needs(
    told: Object, secrets_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Secrets from files: the servers of this file, and no private key but its own."""
    root = laid_out(told, name, secrets_dir, tmp_path)
    for variable, value in told["services"][name]["environment"].items():
        is_folder = variable in ("SPARROW_SECRETS_DIR", "SPARROW_KEYS_DIR")
        monkeypatch.setenv(variable, f"{root}{value}" if is_folder else value)
    settings = read_settings()
    assert settings.database_url is not None
    assert settings.nats_url is not None
    keys = Keys.load(settings.keys_path)

    assert settings.service_addresses == {other: f"{other}:{settings.port}" for other in SERVICES}
    assert "@postgres:5432/" in settings.database_url.get_secret_value()
    assert settings.nats_url.get_secret_value().endswith("@nats:4222")
    assert keys.private.keys() == ({"service", "account"} if name == "account" else {"service"})


def test_nats_takes_its_configuration(told: Object, secrets_dir: Path, tmp_path: Path) -> None:
    """With the password that the services' address has."""
    config = told["services"]["nats"]["configs"][0]
    root = laid_out(told, "nats", secrets_dir, tmp_path)
    target = root / config["target"].lstrip("/")
    target.write_bytes(Path(told["configs"][config["source"]]["file"]).read_bytes())
    program = Path(sys.executable).with_name("nats-server")
    done = subprocess.run([program, "-t", "-c", target], capture_output=True, text=True, check=False)
    password = (secrets_dir / "nats_password").read_text().strip()

    assert done.returncode == 0, done.stderr
    assert "valid" in done.stderr
    assert f":{password}@" in (secrets_dir / "nats_url").read_text()
    assert f'"{password}"' in (secrets_dir / "nats_authorization").read_text()


def test_services_ask_the_monitor_of_a_nats_that_flushes_every_message(told: Object) -> None:
    """Scenario E32: its port is the one of the configuration, which says `sync_interval: always`."""
    config = Path(told["configs"]["nats"]["file"]).read_text()
    monitors = {told["services"][name]["environment"]["SPARROW_NATS_MONITOR_URL"] for name in SERVICES}

    assert monitors == {"http://nats:8222"}
    assert "http_port: 8222" in config
    assert "sync_interval: always" in config


def test_secrets_are_out_of_reach_on_the_host(secrets_dir: Path) -> None:
    """The folder is its owner's alone; the operator's private key is for nobody else at all."""
    assert secrets_dir.stat().st_mode & 0o777 == 0o700
    assert (secrets_dir / "keys" / "operator.key").stat().st_mode & 0o777 == 0o600


def test_games_have_two_replicas_behind_one_port(told: Object) -> None:
    """Only the front door is open to the host."""
    open_to_host = {name for name, one in told["services"].items() if one.get("ports")}

    assert told["services"]["match"]["deploy"]["replicas"] == 2
    assert told["services"]["mcr"]["deploy"]["replicas"] == 2
    assert told["services"]["tournament"]["deploy"]["replicas"] == 2
    assert open_to_host == {"front"}
