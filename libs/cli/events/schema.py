"""Event types and their messages: of this program, or of the descriptors that an export brings along."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType

from google.protobuf.descriptor import Descriptor, FileDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

_EVENT_FILE = re.compile(r"sparrow/[a-z]+/v\d+/[a-z_]*event\.proto")


def event_type(descriptor: Descriptor) -> str:
    """Return the type of an event message: sparrow.match.v1.TileLifted is sparrow.match.tile_lifted.v1."""
    service, _, version = str(descriptor.file.package).rpartition(".")
    return f"{service}.{re.sub(r'(?<!^)(?=[A-Z])', '_', descriptor.name).lower()}.{version}"


@cache
def known_types() -> Mapping[str, type[Message]]:
    """Return every event message that this program knows, by its type."""
    return _types_of(_event_files())


def known_services() -> tuple[str, ...]:
    """Return the services that keep a log of events, in order."""
    from libs.eventstore.migrations import last_revisions  # asyncpg: only when it is asked

    return tuple(sorted({type_.split(".")[1] for type_ in known_types()} & last_revisions().keys()))


def descriptor_set() -> bytes:
    """Return the FileDescriptorSet of all event messages and what they use: the same bytes each time."""
    ordered: dict[str, FileDescriptor] = {}

    def add(file: FileDescriptor) -> None:
        for needed in file.dependencies:
            add(needed)
        ordered.setdefault(file.name, file)

    for file in _event_files():
        add(file)
    collected = FileDescriptorSet()
    for each in ordered.values():
        each.CopyToProto(collected.file.add())
    return collected.SerializeToString(deterministic=True)


def types_in(descriptors: bytes) -> Mapping[str, type[Message]]:
    """Return the event messages of a FileDescriptorSet. Raises DecodeError or TypeError for other bytes."""
    pool = DescriptorPool()
    collected = FileDescriptorSet.FromString(descriptors)
    for file in collected.file:
        pool.Add(file)
    return _types_of([pool.FindFileByName(file.name) for file in collected.file if _is_event_file(file.name)])


def _types_of(files: list[FileDescriptor]) -> Mapping[str, type[Message]]:
    found: dict[str, type[Message]] = {}
    for file in files:
        for descriptor in file.message_types_by_name.values():
            found[event_type(descriptor)] = GetMessageClass(descriptor)
    return MappingProxyType(dict(sorted(found.items())))


def _event_files() -> list[FileDescriptor]:
    """The files of event messages among the generated modules, which are looked up by name."""
    root = import_module("libs.pb.sparrow")
    modules = sorted(module.name for module in pkgutil.walk_packages(root.__path__, "libs.pb.sparrow."))
    files = [import_module(name).DESCRIPTOR for name in modules if name.endswith("event_pb2")]
    return [file for file in files if _is_event_file(file.name)]


def _is_event_file(name: str) -> bool:
    return _EVENT_FILE.fullmatch(name) is not None and not name.startswith("sparrow/event/")
