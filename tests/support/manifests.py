"""The manifests under deploy/, read as the programs that deploy them would, without those programs.

`render` knows the few fields of kustomize that we use, and refuses others; where kubectl is at hand, a test
compares both.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from libs.runtime.config import REPOSITORY

DEPLOY: Final = REPOSITORY / "deploy"
BASE: Final = DEPLOY / "k8s" / "base"
COMPOSE: Final = DEPLOY / "compose" / "compose.yaml"

Object = dict[str, Any]
FIELDS: Final = {
    "apiVersion", "kind", "namespace", "labels", "resources", "patches", "images",
    "configMapGenerator", "generatorOptions",
}  # fmt: skip
# Lists whose entries have a name that merging goes by; every other list is replaced.
MERGED_BY: Final = {"containers": "name", "volumes": "name", "env": "name", "volumeMounts": "mountPath"}


def render(folder: Path) -> list[Object]:
    """Return the objects of a kustomization."""
    told = yaml.safe_load((folder / "kustomization.yaml").read_text())
    assert told.keys() <= FIELDS, f"{folder}: {told.keys() - FIELDS} is not known here"
    objects = [found for name in told.get("resources", ()) for found in _resource(folder / name)]
    for generated in told.get("configMapGenerator", ()):
        assert told["generatorOptions"] == {"disableNameSuffixHash": True}
        data = {name: (folder / name).read_text() for name in generated["files"]}
        objects.append(_config_map(generated["name"], data))
    for patch in told.get("patches", ()):
        _patch(objects, yaml.safe_load((folder / patch["path"]).read_text()), patch["target"])
    for found in objects:
        for added in told.get("labels", ()):
            found["metadata"]["labels"] = {**found["metadata"].get("labels", {}), **added["pairs"]}
        if "namespace" in told and found["kind"] != "Namespace":
            found["metadata"]["namespace"] = told["namespace"]
        for container in containers(found):
            _choose_image(container, told.get("images", ()))
    return objects


def rendered_by_kubectl() -> list[Object] | None:
    """Return what kubectl makes of the base; none where there is no kubectl."""
    program = shutil.which("kubectl")
    if program is None:
        return None
    done = subprocess.run([program, "kustomize", str(BASE)], capture_output=True, text=True, check=True)
    return list(yaml.safe_load_all(done.stdout))


def containers(found: Object) -> list[Object]:
    """Return the containers of an object's pods; none where it has no pods."""
    listed: list[Object] = pod(found).get("containers", [])
    return listed


def pod(found: Object) -> Object:
    """Return the specification of an object's pods, empty where it has none."""
    if found["kind"] not in {"Deployment", "Job"}:
        return {}
    told: Object = found["spec"]["template"]["spec"]
    return told


def compose() -> Object:
    """Return the Compose file as Docker Compose reads it; raise where it refuses it."""
    program = str(Path(sys.executable).with_name("docker-compose"))
    command = [program, "--file", str(COMPOSE), "config", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told: Object = json.loads(done.stdout)
    return told


def _resource(path: Path) -> Iterator[Object]:
    if path.is_dir():
        yield from render(path.resolve())
    else:
        yield from yaml.safe_load_all(path.read_text())


def _config_map(name: str, data: dict[str, str]) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def _patch(objects: list[Object], patch: Object, target: dict[str, str]) -> None:
    label, _, value = target["labelSelector"].partition("=")
    chosen = [found for found in objects if found["kind"] == target["kind"]]
    chosen = [found for found in chosen if found["metadata"].get("labels", {}).get(label) == value]
    assert chosen, f"nothing is patched: {target}"
    for found in chosen:
        _merge(found["spec"], patch["spec"])


def _merge(into: Object, patch: Object) -> None:
    for key, value in patch.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        elif key in MERGED_BY and key in into:
            by = {entry[MERGED_BY[key]]: entry for entry in into[key]}
            for entry in value:
                _merge(by.setdefault(entry[MERGED_BY[key]], {}), entry)
            into[key] = list(by.values())
        else:
            into[key] = json.loads(json.dumps(value))


def _choose_image(container: Object, images: list[Object]) -> None:
    for image in images:
        if container["image"] == image["name"]:
            container["image"] = f"{image['newName']}:{image['newTag']}"
