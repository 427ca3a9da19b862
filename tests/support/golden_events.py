"""The golden event corpus: one stored example of every event type and version that was ever released.

`python -m tests.support.golden_events` adds a file for each event message of `protos/**/*_event.proto` that
has none. It never overwrites: what was stored once must be readable for ever. When a message gains fields
within its version, add a second example by hand or with `--again <type>`, which writes `<type>.<n>.json`.

A file holds `type`, `schema_version`, `data` (hex, as stored) and `decoded` (the message as protobuf JSON).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

REPOSITORY = Path(__file__).resolve().parents[2]
CORPUS = REPOSITORY / "tests" / "data" / "events"
SCHEMA_VERSION = 1


def event_messages() -> dict[str, type[Message]]:
    """Return every event message of the protos by its event type."""
    messages: dict[str, type[Message]] = {}
    for path in sorted((REPOSITORY / "protos").rglob("*_event.proto")):
        module = import_module(f"libs.pb.{'.'.join(path.relative_to(REPOSITORY / 'protos').parts)[:-6]}_pb2")
        for name in module.DESCRIPTOR.message_types_by_name:
            messages[event_type(module.DESCRIPTOR.package, name)] = getattr(module, name)
    return messages


def event_type(package: str, message: str) -> str:
    """Return the type of an event message: sparrow.match.v1 TileLifted -> sparrow.match.tile_lifted.v1."""
    service, _, version = package.rpartition(".")
    return f"{service}.{re.sub(r'(?<!^)(?=[A-Z])', '_', message).lower()}.{version}"


def sample(message_type: type[Message]) -> Message:
    """Return a message with every field set, to values that follow from names and numbers of fields alone."""
    message = message_type()
    for field in message.DESCRIPTOR.fields:
        values = [_value(field, at) for at in range(2 if field.is_repeated else 1)]
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            target = getattr(message, field.name)
            for value in values:
                (target.add() if field.is_repeated else target).CopyFrom(value)
        elif field.is_repeated:
            getattr(message, field.name).extend(values)
        else:
            setattr(message, field.name, values[0])
    return message


def _value(field: Any, at: int) -> Any:
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        return sample(GetMessageClass(field.message_type))
    if field.type == FieldDescriptor.TYPE_STRING:
        if field.name.endswith("_id"):
            return f"0193776f-0000-7000-8000-{field.number:012d}"
        if field.name.endswith("_ids"):
            return f"0193776f-0000-7000-8000-{at:04d}{field.number:08d}"
        return f"{field.name} {at}"
    if field.type == FieldDescriptor.TYPE_BYTES:
        return bytes([field.number, at])
    if field.type == FieldDescriptor.TYPE_ENUM:
        return field.enum_type.values[-1].number
    return True if field.type == FieldDescriptor.TYPE_BOOL else field.number * 10 + at + 1


def decoded(message: Message) -> dict[str, Any]:
    """Return a message as protobuf JSON under its proto field names."""
    fields: dict[str, Any] = MessageToDict(message, preserving_proto_field_name=True)
    return fields


def stored_files() -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield every file of the corpus with its content."""
    for path in sorted(CORPUS.glob("*.json")):
        yield path, json.loads(path.read_text(encoding="utf-8"))


def add(type_: str, path: Path) -> None:
    """Write a new example; an existing file is an error."""
    message = sample(event_messages()[type_])
    content = {
        "type": type_,
        "schema_version": SCHEMA_VERSION,
        "data": message.SerializeToString(deterministic=True).hex(),
        "decoded": decoded(message),
    }
    with path.open("x", encoding="utf-8") as file:
        file.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def main(arguments: list[str]) -> None:
    """Add what is missing, or one more example of a type."""
    CORPUS.mkdir(parents=True, exist_ok=True)
    if arguments[:1] == ["--again"]:
        type_ = arguments[1]
        add(type_, CORPUS / f"{type_}.{len(list(CORPUS.glob(f'{type_}*.json'))) + 1}.json")
        return
    for type_ in event_messages():
        if not (CORPUS / f"{type_}.json").exists():
            add(type_, CORPUS / f"{type_}.json")


if __name__ == "__main__":
    main(sys.argv[1:])
