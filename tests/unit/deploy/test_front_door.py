"""The one address of clients leads to every service."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from libs.runtime.config import SERVICES, Settings
from tests.support.manifests import BASE, COMPOSE, DEPLOY, containers, render

ENVOY = DEPLOY / "envoy" / "envoy.yaml"


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    """The configuration."""
    resources: dict[str, Any] = yaml.safe_load(ENVOY.read_text())["static_resources"]
    return resources


def routes(told: dict[str, Any]) -> dict[str, str]:
    """Where each prefix leads."""
    front = told["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"]
    listed = front["route_config"]["virtual_hosts"][0]["routes"]
    return {one["match"]["prefix"]: one["route"]["cluster"] for one in listed}


def test_envoy_takes_the_configuration() -> None:
    """The program itself says so."""
    program = Path(sys.executable).with_name("envoy")
    done = subprocess.run(
        [program, "--mode", "validate", "--config-path", ENVOY], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr


def test_every_package_leads_to_its_service_and_feeds_lead_nowhere(told: dict[str, Any]) -> None:
    """A feed tells more than a player may know: it is read at the service's own address."""
    assert routes(told) == {f"/sparrow.{name}.v1.": name for name in SERVICES} | {"/grpc.health.v1.": "match"}


def test_no_route_cuts_a_stream_or_a_deadline(told: dict[str, Any]) -> None:
    """Without these two, calls would end after 15 s, and deadlines of clients would not be known."""
    front = told["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"]
    for one in front["route_config"]["virtual_hosts"][0]["routes"]:
        assert one["route"]["timeout"] == "0s"
        assert one["route"]["max_stream_duration"] == {"grpc_timeout_header_max": "0s"}


def test_every_service_is_looked_for_under_its_name(told: dict[str, Any]) -> None:
    """The same names and port in Compose and on Kubernetes, with health asked before calls are sent."""
    port = Settings.model_fields["port"].default
    assert told["listeners"][0]["address"]["socket_address"]["port_value"] == port
    assert [cluster["name"] for cluster in told["clusters"]] == list(SERVICES)
    for cluster in told["clusters"]:
        (places,) = cluster["load_assignment"]["endpoints"]
        (place,) = places["lb_endpoints"]
        where = place["endpoint"]["address"]["socket_address"]
        assert where == {"address": cluster["name"], "port_value": port}
        assert "grpc_health_check" in cluster["health_checks"][0]


def test_the_image_is_of_the_version_that_was_tried() -> None:
    """Compose and Kubernetes run the Envoy that the tests run."""
    tried = [
        line for line in (DEPLOY.parent / "requirements.lock").read_text().splitlines() if "envoy" in line
    ]
    version = tried[0].split("==")[1].split()[0]
    front = next(one for one in render(BASE) if one["metadata"]["name"] == "front" and containers(one))
    images = {
        containers(front)[0]["image"],
        yaml.safe_load(COMPOSE.read_text())["services"]["front"]["image"],
    }

    assert images == {f"envoyproxy/envoy:distroless-v{version}"}
