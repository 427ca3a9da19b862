"""The image is built from files that exist, and runs what exists, as nobody in particular."""

from __future__ import annotations

import re

from libs.runtime.config import REPOSITORY, Settings
from services.__main__ import argument_parser
from tests.support.manifests import BASE, DEPLOY, containers, pod, render

DOCKERFILE = (DEPLOY / "docker" / "Dockerfile").read_text()
IGNORED = (DEPLOY / "docker" / "Dockerfile.dockerignore").read_text().split()


def told(instruction: str) -> list[str]:
    """The arguments of every instruction of a kind."""
    return re.findall(rf"^{instruction} (.+)$", DOCKERFILE, re.MULTILINE)


def test_what_is_copied_exists_and_is_sent_to_the_builder() -> None:
    """The context holds the sources alone: no data, no keys, no environment."""
    sources = {name for line in told("COPY") if "--from" not in line for name in line.split()[:-1]}

    assert all((REPOSITORY / name).exists() for name in sources)
    assert IGNORED[0] == "*"
    assert {name.removeprefix("!") for name in IGNORED if name.startswith("!")} == sources


def test_it_runs_as_the_user_that_the_manifests_name() -> None:
    """And that is not root."""
    (user,) = told("USER")
    uids = {
        pod(found)["securityContext"]["runAsUser"]
        for found in render(BASE)
        if containers(found) and "sparrow" in containers(found)[0]["image"]
    }

    assert {int(number) for number in user.split(":")} == uids == {10001}


def test_its_entry_is_python_and_its_port_the_one_of_the_settings() -> None:
    """The manifests give modules as arguments; without any, one process runs all services."""
    assert told("ENTRYPOINT") == ['["python", "-m"]']
    assert told("EXPOSE") == [str(Settings.model_fields["port"].default)]
    program, *arguments = re.findall(r'"([^"]+)"', told("CMD")[0])
    assert program == "services"
    assert argument_parser().parse_args(arguments).role == "both"


def test_the_python_is_one_that_the_project_runs_on() -> None:
    """Both stages have the same."""
    assert {line.split()[0] for line in told("FROM")} == {"python:3.11-slim-bookworm"}
