"""Where the command line finds Sparrow and its players."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from libs.cli.connection import device_store, find_endpoint, find_language, find_settings


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of the person who runs the tests counts."""
    for name in [name for name in os.environ if name.startswith("SPARROW_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SPARROW_CONFIG_DIR", str(tmp_path / "config"))


def test_the_endpoint_is_the_given_one_else_what_runs_here_else_the_default(tmp_path: Path) -> None:
    """A data folder on which Sparrow runs says where; without one it is the port of the settings."""
    settings = find_settings(tmp_path)

    assert find_endpoint(None, settings) == "127.0.0.1:7400"
    (tmp_path / "run.json").write_text(json.dumps({"pid": 1, "endpoint": "127.0.0.1:7555"}))
    assert find_endpoint(None, settings) == "127.0.0.1:7555"
    assert find_endpoint("example.org:1", settings) == "example.org:1"


def test_a_port_that_was_asked_for_wins_over_what_runs_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SPARROW_PORT is what the person said; the announcement is only found."""
    (tmp_path / "run.json").write_text(json.dumps({"pid": 1, "endpoint": "127.0.0.1:7555"}))
    monkeypatch.setenv("SPARROW_PORT", "7600")

    assert find_endpoint(None, find_settings(tmp_path)) == "127.0.0.1:7600"


def test_each_server_has_keys_of_its_own() -> None:
    """A key shown to one server would open the same player's account on another."""
    here, there = device_store("me", "127.0.0.1:7400"), device_store("me", "example.org:7400")

    assert here.path != there.path
    assert here.path.name == there.path.name == "me.key"


@pytest.mark.parametrize("name", ["../me", "", "a/b", "x" * 41, "me.key"])
def test_a_profile_name_is_no_path(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Anything but letters, digits, dashes and underscores is refused in one line."""
    with pytest.raises(SystemExit) as ended:
        device_store(name, "127.0.0.1:7400")

    assert ended.value.code == 1
    assert "A profile name has" in capsys.readouterr().err


def test_a_setting_that_makes_no_sense_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line names the variable."""
    monkeypatch.setenv("SPARROW_PORT", "many")

    with pytest.raises(SystemExit):
        find_settings()

    assert "SPARROW_PORT: Input should be a valid integer" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "variables", "asked"),
    [
        ("pl", {"SPARROW_LANGUAGE": "es", "LANG": "fa_IR.UTF-8"}, "pl"),
        (None, {"SPARROW_LANGUAGE": "es", "LANG": "fa_IR.UTF-8"}, "es"),
        (None, {"LANG": "fa_IR.UTF-8"}, "fa-IR"),
        (None, {"LC_ALL": "pl_PL.UTF-8@variant", "LANG": "en_GB.UTF-8"}, "pl-PL"),
        (None, {"LANG": "C.UTF-8"}, ""),
        (None, {"LANG": "POSIX"}, ""),
        (None, {"LANG": "\n; rm"}, ""),
        (None, {}, ""),
    ],
)
def test_the_language_is_the_given_one_else_that_of_the_shell(
    given: str | None, variables: dict[str, str], asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An option, SPARROW_LANGUAGE, and what the shell says, in this order."""
    for name in ("SPARROW_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert find_language(given) == asked
