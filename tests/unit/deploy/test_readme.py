"""What the README tells to type and to set is true."""

from __future__ import annotations

import re
from pathlib import Path

from libs.runtime.config import SERVICES, Settings
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.shown_settings import is_secret
from libs.runtime.tokens import Keys
from tests.support.manifests import BASE, DEPLOY, containers, pod, render
from tests.support.readme_settings import with_settings

README = (DEPLOY / "README.md").read_text()


def created_secrets() -> dict[str, set[str]]:
    """The secrets that the README creates, with the files in each."""
    joined = README.replace("\\\n", " ")
    found = re.findall(r"create secret generic (\S+)((?:\s+--from-file=\S+)+)", joined)
    return {name: set(re.findall(r"--from-file=(\S+)", files)) for name, files in found}


def mounted_secrets(workload: str) -> set[str]:
    """The secrets that a workload's pods mount."""
    found = next(one for one in render(BASE) if one["metadata"]["name"] == workload and containers(one))
    return {one["secret"]["secretName"] for one in pod(found)["volumes"] if "secret" in one}


def test_the_table_of_settings_is_the_code() -> None:
    """Write it again with `python -m tests.support.readme_settings` when this fails."""
    assert with_settings(README) == README


def test_the_secrets_that_pods_mount_are_those_that_are_created() -> None:
    """Nothing is mounted that nobody made, and nothing made that nobody mounts."""
    mounted = set().union(*(mounted_secrets(name) for name in (*SERVICES, "migrate")))

    assert mounted == created_secrets().keys()


def test_the_secret_of_addresses_holds_settings() -> None:
    """Both servers are named, by files that the settings are read from."""
    files = created_secrets()["sparrow-secrets"]

    assert files == {"database_url", "nats_url"}
    assert all(is_secret(name) for name in files)
    assert files < set(Settings.model_fields)


def test_each_pod_has_the_keys_that_it_signs_with_and_no_other(tmp_path: Path) -> None:
    """Only account signs players' tokens; no pod signs as an operator."""
    ensure_keys(tmp_path / "all")
    for name in SERVICES:
        (secret,) = mounted_secrets(name) - {"sparrow-secrets"}
        folder = tmp_path / name
        folder.mkdir()
        for file in created_secrets()[secret]:
            (folder / file).write_bytes((tmp_path / "all" / file).read_bytes())
        held = Keys.load(folder).private.keys()
        assert held == ({"service", "account"} if name == "account" else {"service"})


def test_every_file_that_is_linked_exists() -> None:
    """No link leads nowhere."""
    assert [link for link in re.findall(r"\]\(([^)#]+)\)", README) if not (DEPLOY / link).exists()] == []
