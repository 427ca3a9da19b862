"""What people see of settings, and what they are told when one is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from libs.runtime.config import Settings, read_settings
from libs.runtime.failure import StartupFailure
from libs.runtime.shown_settings import is_secret, settings_table, shown_settings


def shown(**given: object) -> dict[str, str]:
    """The lines as a mapping."""
    lines = shown_settings(Settings(**given)).splitlines()  # type: ignore[arg-type] # pydantic judges
    return dict(line.split("=", 1) for line in lines)


@pytest.mark.parametrize(
    ("secret", "told"),
    [
        ("postgresql://ana:swordfish@db:5432/sparrow", "postgresql://**********@db:5432/sparrow"),
        ("postgresql://ana:swordfish@db/sparrow?password=swordfish", "postgresql://**********@db/sparrow"),
        ("postgresql://db/sparrow?password=swordfish", "**********"),
        ("nats://swordfish@[::1:4222", "**********"),
        ("nats://a:swordfish@host:port", "**********"),
        ("swordfish", "**********"),
    ],
)
def test_of_a_secret_only_the_place_is_shown(secret: str, told: str) -> None:
    """Where an address leads helps who looks for a fault; user, password and parameters never show."""
    assert shown(database_url=SecretStr(secret))["SPARROW_DATABASE_URL"] == told


def test_every_setting_is_shown_by_the_name_that_sets_it() -> None:
    """What is shown could be set again, but for the secrets."""
    lines = shown(port=7401, service_addresses={"match": "match:7400"})

    assert lines.keys() == {f"SPARROW_{name.upper()}" for name in Settings.model_fields}
    assert lines["SPARROW_PORT"] == "7401"
    assert lines["SPARROW_SERVICE_ADDRESSES"] == '{"match": "match:7400"}'
    assert lines["SPARROW_NATS_URL"] == ""


def test_every_setting_is_described() -> None:
    """The table has a sentence for each, and tells which ones are secret."""
    rows = {row.split("`")[1]: row for row in settings_table().splitlines()[2:]}

    assert rows.keys() == {f"SPARROW_{name.upper()}" for name in Settings.model_fields}
    assert all(field.description for field in Settings.model_fields.values())
    for name in Settings.model_fields:
        assert rows[f"SPARROW_{name.upper()}"].endswith("A secret. |") == is_secret(name)


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("SPARROW_PORT", "many", "SPARROW_PORT: Input should be a valid integer"),
        ("SPARROW_SERVICE_ADDRESSES", "{", "SPARROW_SERVICE_ADDRESSES: this is no JSON"),
        (
            "SPARROW_SERVICE_ADDRESSES",
            '{"mach": "a:1"}',
            "SPARROW_SERVICE_ADDRESSES: there is no service mach",
        ),
        ("SPARROW_SECRETS_DIR", "/nowhere", "SPARROW_SECRETS_DIR: /nowhere is no folder"),
        ("SPARROW_CONFIG_FILE", "/nowhere", "SPARROW_CONFIG_FILE: /nowhere is no file"),
        ("SPARROW_CONFIG_FILE", __file__, f"SPARROW_CONFIG_FILE: {__file__} is no TOML"),
    ],
)
def test_a_wrong_setting_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, told: str
) -> None:
    """It names the variable, and never holds more than a line."""
    monkeypatch.setenv(variable, value)
    with pytest.raises(StartupFailure) as failure:
        read_settings()

    assert str(failure.value).startswith(told)
    assert "\n" not in str(failure.value)


def test_a_wrong_secret_is_not_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of a file of settings that is wrong, no value is repeated."""
    file = tmp_path / "sparrow.toml"
    file.write_text('database_url = ["swordfish"]\n')
    monkeypatch.setenv("SPARROW_CONFIG_FILE", str(file))
    with pytest.raises(StartupFailure) as failure:
        read_settings()

    assert "SPARROW_DATABASE_URL" in str(failure.value)
    assert "swordfish" not in str(failure.value)


def test_secrets_are_read_where_kubernetes_puts_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """There each file is a link into a folder that is exchanged as a whole."""
    (tmp_path / "..2026").mkdir()
    (tmp_path / "..2026" / "nats_url").write_text("nats://server:4222\n")
    (tmp_path / "..data").symlink_to("..2026")
    (tmp_path / "nats_url").symlink_to("..data/nats_url")
    monkeypatch.setenv("SPARROW_SECRETS_DIR", str(tmp_path))
    url = read_settings().nats_url

    assert url is not None
    assert url.get_secret_value() == "nats://server:4222"
