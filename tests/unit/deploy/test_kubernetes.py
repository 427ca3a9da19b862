"""The Kubernetes base is valid, and what it says exists in the code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped] # it has no types
import pytest
import yaml

from libs.runtime.config import PLACES, SERVICES, Settings, read_settings
from libs.runtime.run import service_parser
from libs.runtime.server import ALIVE
from libs.runtime.shown_settings import is_secret
from services.__main__ import argument_parser
from tests.support.manifests import BASE, DEPLOY, Object, containers, pod, render, rendered_by_kubectl

KUBERNETES = "1.33"
VARIABLES = {f"SPARROW_{name.upper()}" for name in Settings.model_fields}
NO_DEFAULT_FITS = {"SPARROW_HOST", "SPARROW_SITE", "SPARROW_KEYS_DIR", "SPARROW_SERVICE_ADDRESSES"}


@pytest.fixture(scope="module")
def base() -> list[Object]:
    """The rendered base."""
    return render(BASE)


def named(objects: list[Object], kind: str) -> dict[str, Object]:
    """The objects of one kind by name."""
    return {found["metadata"]["name"]: found for found in objects if found["kind"] == kind}


def in_order(value: Any) -> Any:
    """The same value with named entries of lists in the order of their names."""
    if isinstance(value, dict):
        return {key: in_order(inner) for key, inner in sorted(value.items())}
    if isinstance(value, list):
        return sorted((in_order(inner) for inner in value), key=json.dumps)
    return value


def test_every_object_keeps_the_schema_of_kubernetes(base: list[Object]) -> None:
    """Strictly: a field that is not of the schema is an error."""
    for found in base:
        kubernetes_validate.validate(found, KUBERNETES, strict=True)


def test_kubectl_renders_the_same() -> None:
    """What these tests look at is what is applied; compared wherever there is a kubectl."""
    theirs = rendered_by_kubectl()

    assert theirs is None or in_order(theirs) == in_order(render(BASE))


def test_every_file_of_the_base_is_used() -> None:
    """No manifest lies beside the kustomization unheard."""
    told = yaml.safe_load((BASE / "kustomization.yaml").read_text())
    used = {*told["resources"], *(patch["path"] for patch in told["patches"]), "kustomization.yaml"}

    assert {path.name for path in BASE.iterdir()} == {name for name in used if not name.startswith("..")}


def test_there_is_a_deployment_for_each_service(base: list[Object]) -> None:
    """With its name, its account, a Service that shows all replicas, and its program."""
    deployments, addresses = named(base, "Deployment"), named(base, "Service")

    assert deployments.keys() == {*SERVICES, "front"}
    for name in SERVICES:
        (container,) = containers(deployments[name])
        program, *arguments = container["args"]
        assert program == f"services.{name}"
        assert service_parser(name).parse_args(arguments).role == "both"
        assert pod(deployments[name])["serviceAccountName"] == name
        assert addresses[name]["spec"]["clusterIP"] == "None"


def test_the_migration_is_a_job_with_arguments_that_exist(base: list[Object]) -> None:
    """It runs the same image once."""
    (container,) = containers(named(base, "Job")["migrate"])
    program, *arguments = container["args"]

    assert program == "services"
    assert argument_parser().parse_args(arguments).migrate
    assert container["image"] == containers(named(base, "Deployment")["match"])[0]["image"]


def test_every_variable_is_a_setting_and_none_is_missing(base: list[Object]) -> None:
    """A slip of the pen would be a variable that nobody reads; secrets never are variables."""
    settings = named(base, "ConfigMap")["settings"]["data"]
    direct = {entry["name"] for found in base for one in containers(found) for entry in one.get("env", [])}
    secrets = {f"SPARROW_{name.upper()}" for name in Settings.model_fields if is_secret(name)}

    assert settings.keys() | direct <= VARIABLES | set(PLACES)
    assert settings.keys() >= NO_DEFAULT_FITS
    assert not (settings.keys() | direct) & secrets


def test_the_settings_are_read_as_they_are_meant(
    base: list[Object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each service is called at a Service of the base, on the port of its pods; folders are mounted."""
    read = named(base, "ConfigMap")["settings"]["data"]
    for name, value in read.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SPARROW_SECRETS_DIR", str(tmp_path))
    settings = read_settings()
    mounts = containers(named(base, "Deployment")["match"])[0]["volumeMounts"]
    ports = {
        f"{name}:{entry['port']}"
        for name, found in named(base, "Service").items()
        for entry in found["spec"]["ports"]
    }

    assert settings.service_addresses == {name: f"{name}:{settings.port}" for name in SERVICES}
    assert set(settings.service_addresses.values()) < ports
    assert str(settings.keys_path) in {mount["mountPath"] for mount in mounts}
    assert read["SPARROW_SECRETS_DIR"] in {mount["mountPath"] for mount in mounts}


def test_ports_and_probes_lead_somewhere(base: list[Object]) -> None:
    """Probes ask the port of the settings for entries of health that exist; Services lead there."""
    port = Settings.model_fields["port"].default
    metrics = int(named(base, "ConfigMap")["settings"]["data"]["SPARROW_METRICS_PORT"])
    for name in SERVICES:
        (container,) = containers(named(base, "Deployment")[name])
        ports = {entry["name"]: entry["containerPort"] for entry in container["ports"]}
        assert ports == {"grpc": port, "metrics": metrics}
        asked = {kind: container[f"{kind}Probe"]["grpc"] for kind in ("startup", "readiness", "liveness")}
        assert {probe["port"] for probe in asked.values()} == {port}
        assert [probe.get("service", "") for probe in asked.values()] == [ALIVE, "", ALIVE]
    for found in named(base, "Service").values():
        assert [entry["targetPort"] for entry in found["spec"]["ports"]] == ["grpc"]


def test_every_pod_is_as_closed_as_can_be(base: list[Object]) -> None:
    """Not root, nothing to write on but /tmp, no capabilities, no token of Kubernetes, bounded memory."""
    for found in (one for one in base if containers(one)):
        assert pod(found)["securityContext"]["runAsNonRoot"] is True
        assert pod(found)["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod(found)["automountServiceAccountToken"] is False
        # SPARROW_PORT=tcp://… would come from the Service named sparrow.
        assert pod(found)["enableServiceLinks"] is False
        for container in containers(found):
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert "memory" in container["resources"]["limits"]


def test_a_pod_has_the_time_that_draining_takes(base: list[Object]) -> None:
    """What happens before the signal, the grace of calls, the grace of loops, and a little more."""
    drain_s = int(named(base, "ConfigMap")["settings"]["data"]["SPARROW_DRAIN_GRACE_MS"]) / 1_000
    for name in SERVICES:
        told = pod(named(base, "Deployment")[name])
        before_s = told["containers"][0]["lifecycle"]["preStop"]["sleep"]["seconds"]
        assert told["terminationGracePeriodSeconds"] >= before_s + 2 * drain_s


@pytest.mark.parametrize("service", ["match", "mcr", "tournament"])
def test_games_are_never_taken_away_whole(base: list[Object], service: str) -> None:
    """Two replicas, of which one stays whatever the cluster does."""
    budget = named(base, "PodDisruptionBudget")[service]["spec"]

    assert named(base, "Deployment")[service]["spec"]["replicas"] == 2
    assert budget["minAvailable"] == 1
    assert budget["selector"] == named(base, "Deployment")[service]["spec"]["selector"]


def test_whatever_is_referred_to_exists(base: list[Object]) -> None:
    """Configuration, accounts and mounts; secrets are made by hand, as the README says (see its test)."""
    maps, accounts = named(base, "ConfigMap"), named(base, "ServiceAccount")
    assert maps["front"]["data"]["envoy.yaml"] == (DEPLOY / "envoy" / "envoy.yaml").read_text()
    for found in (one for one in base if containers(one)):
        told = pod(found)
        volumes = {volume["name"]: volume for volume in told["volumes"]}
        assert told["serviceAccountName"] in accounts
        assert {one["configMap"]["name"] for one in volumes.values() if "configMap" in one} <= maps.keys()
        for container in containers(found):
            assert {mount["name"] for mount in container["volumeMounts"]} == volumes.keys()
            for source in container.get("envFrom", []):
                assert source["configMapRef"]["name"] in maps
