"""Messages as plain values that JSON and SQL both know, and the types that SQL gives them.

Fields keep their proto names. Integers of 64 bits are numbers, enums the names of their values, bytes
hexadecimal, instants text in UTC, durations seconds. A field that may be absent and is, and a message that is
not set, are null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from libs.cli.events.instants import instant_text

_INSTANT: Final = "google.protobuf.Timestamp"
_DURATION: Final = "google.protobuf.Duration"
_SCALARS: Final[Mapping[int, str]] = MappingProxyType(
    {
        FieldDescriptor.TYPE_BOOL: "BOOLEAN",
        FieldDescriptor.TYPE_BYTES: "VARCHAR",
        FieldDescriptor.TYPE_DOUBLE: "DOUBLE",
        FieldDescriptor.TYPE_ENUM: "VARCHAR",
        FieldDescriptor.TYPE_FLOAT: "DOUBLE",
        FieldDescriptor.TYPE_INT32: "INTEGER",
        FieldDescriptor.TYPE_INT64: "BIGINT",
        FieldDescriptor.TYPE_SINT32: "INTEGER",
        FieldDescriptor.TYPE_SINT64: "BIGINT",
        FieldDescriptor.TYPE_STRING: "VARCHAR",
        FieldDescriptor.TYPE_UINT32: "UINTEGER",
        FieldDescriptor.TYPE_UINT64: "UBIGINT",
    }
)

Plain = Callable[[Any], Any]


def document(message: Message) -> dict[str, Any]:
    """Return a message as plain values, with all its fields."""
    return {
        name: read(getattr(message, name)) if not has_presence or message.HasField(name) else None
        for name, has_presence, read in _fields(message.DESCRIPTOR)
    }


def sql_structure(message: type[Message]) -> dict[str, Any]:
    """Return the types of a message's fields as DuckDB's `from_json` takes them."""
    return _structure(message.DESCRIPTOR.fields)


def _structure(fields: Iterable[Any]) -> dict[str, Any]:
    return {field.name: _sql_type(field) for field in fields}


@cache
def _fields(descriptor: Descriptor) -> tuple[tuple[str, bool, Plain], ...]:
    """Name, whether it may be absent, and the reader of every field."""
    return tuple((field.name, field.has_presence, _reader(field)) for field in descriptor.fields)


def _reader(field: FieldDescriptor) -> Plain:
    one = _reader_of_one(field)
    return (lambda values: [one(value) for value in values]) if field.is_repeated else one


def _reader_of_one(field: FieldDescriptor) -> Plain:
    if field.message_type is not None:
        if field.message_type.full_name == _INSTANT:
            return lambda stamp: instant_text(stamp.ToDatetime(UTC))
        if field.message_type.full_name == _DURATION:
            return lambda duration: duration.ToTimedelta().total_seconds()
        assert not field.message_type.GetOptions().map_entry, f"{field.full_name} is a map"
        return document
    if field.type == FieldDescriptor.TYPE_BYTES:
        return lambda raw: raw.hex()
    if field.enum_type is not None:
        names = {value.number: value.name for value in field.enum_type.values}
        return lambda number: names.get(number, str(number))
    return lambda value: value


def _sql_type(field: FieldDescriptor) -> Any:
    if field.message_type is None:
        one: Any = _SCALARS[field.type]
    elif field.message_type.full_name == _INSTANT:
        one = "TIMESTAMP"
    elif field.message_type.full_name == _DURATION:
        one = "DOUBLE"
    else:
        one = _structure(field.message_type.fields)
    return [one] if field.is_repeated else one
