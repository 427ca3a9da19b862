"""Settings: where they come from, what they refuse, what they never show."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from libs.runtime.config import Settings


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine that runs the tests."""
    for name in Settings.model_fields:
        monkeypatch.delenv(f"SPARROW_{name.upper()}", raising=False)


def test_defaults_serve_one_machine() -> None:
    """Without any setting: the loopback address, port 7400, embedded servers, keys beside the data."""
    settings = Settings()

    assert settings.endpoint == "127.0.0.1:7400"
    assert settings.database_url is None
    assert settings.nats_url is None
    assert settings.keys_path == settings.data_dir / "keys"


def test_the_environment_wins_over_secrets_and_secrets_over_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The nearer source speaks first."""
    file = tmp_path / "sparrow.toml"
    file.write_text('port = 7001\nsite = "file"\nnats_url = "nats://file"\n')
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "nats_url").write_text("nats://secret")
    monkeypatch.setenv("SPARROW_CONFIG_FILE", str(file))
    monkeypatch.setenv("SPARROW_SECRETS_DIR", str(tmp_path / "secrets"))
    monkeypatch.setenv("SPARROW_PORT", "7002")
    settings = Settings()

    assert settings.port == 7002
    assert settings.nats_url is not None
    assert settings.nats_url.get_secret_value() == "nats://secret"
    assert settings.site == "file"


def test_secrets_are_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Printing settings shows stars where a password is."""
    monkeypatch.setenv("SPARROW_DATABASE_URL", "postgresql://sparrow:hunter2@db/sparrow")
    settings = Settings()

    assert "hunter2" not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"


def test_settings_do_not_change() -> None:
    """A process has one set of settings for its whole life."""
    settings = Settings()

    with pytest.raises(ValidationError, match="frozen"):
        settings.port = 1


@pytest.mark.parametrize("port", ["0", "65536", "-1", "many"])
def test_a_port_out_of_range_is_refused(monkeypatch: pytest.MonkeyPatch, port: str) -> None:
    """The error names the setting."""
    monkeypatch.setenv("SPARROW_PORT", port)

    with pytest.raises(ValidationError, match="port"):
        Settings()


def test_an_unknown_name_in_the_file_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A slip of the pen in a file must not be silently without effect."""
    file = tmp_path / "sparrow.toml"
    file.write_text("prot = 7001\n")
    monkeypatch.setenv("SPARROW_CONFIG_FILE", str(file))

    with pytest.raises(ValidationError, match="prot"):
        Settings()


@pytest.mark.parametrize(
    ("host", "endpoint"), [("0.0.0.0", "127.0.0.1:7400"), ("::", "[::1]:7400"), ("db.local", "db.local:7400")]
)
def test_the_endpoint_is_an_address_that_a_client_can_dial(host: str, endpoint: str) -> None:
    """Listening everywhere is reached through the loopback address."""
    assert Settings(host=host).endpoint == endpoint


def test_an_empty_variable_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """`SPARROW_DATA_DIR=` is the default folder, not the current one."""
    monkeypatch.setenv("SPARROW_DATA_DIR", "")
    monkeypatch.setenv("SPARROW_PORT", "")

    assert Settings().data_dir == Settings.model_fields["data_dir"].default
    assert Settings().port == 7400
