"""What descriptors alone can say about a request: parsed once per message type into a list of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from google.api import field_behavior_pb2  # type: ignore[import-untyped]
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from libs.runtime.errors import Refused, invalid_field

_TIMESTAMP_SECONDS = range(-62_135_596_800, 253_402_300_800)  # years 1 to 9999
_NANOSECONDS = range(1_000_000_000)
ELEMENTS_MAX = 1_000
"""Of a list of texts, enums or messages: beyond what any method takes, and looked at in a millisecond."""

Check = Callable[[Message, str], None]
"""Looks at one field of a message that stands at a path; raises FIELD_INVALID."""


def parse_request(parse: Callable[[bytes], Message], raw: bytes, bytes_max: int) -> Message:
    """Return the parsed request. Raises Refused MESSAGE_TOO_LARGE or MESSAGE_MALFORMED."""
    if len(raw) > bytes_max:
        raise Refused("MESSAGE_TOO_LARGE", f"a request has at most {bytes_max} bytes", retry_after_ms=0)
    try:
        return parse(raw)
    except (DecodeError, UnicodeDecodeError, ValueError) as error:
        raise Refused("MESSAGE_MALFORMED", "the bytes are not a message of this method") from error


def check_request(message: Message, path: str = "") -> None:
    """Raise FIELD_INVALID with the field's path for what no handler should see.

    That is: REQUIRED and absent (messages, text, bytes, lists, enums; a number may be 0), unknown enum
    values, NUL in text, endless lists, instants outside the years 1 to 9999. Nested messages are looked into.
    """
    for check in _checks(message.DESCRIPTOR):
        check(message, path)


@cache
def _checks(descriptor: Descriptor) -> tuple[Check, ...]:
    if descriptor.full_name == "google.protobuf.Timestamp":
        return (_check_timestamp,)
    return tuple(check for field in descriptor.fields for check in _field_checks(field))


def _field_checks(field: FieldDescriptor) -> Iterator[Check]:
    behaviors = field.GetOptions().Extensions[field_behavior_pb2.field_behavior]
    if field_behavior_pb2.REQUIRED in behaviors and (required := _required_check(field)):
        yield required
    if field.type == FieldDescriptor.TYPE_STRING:
        yield _each(field, _check_text)
    elif field.enum_type is not None:
        yield _each(field, _enum_check(frozenset(field.enum_type.values_by_number)))
    elif field.message_type is not None and not field.message_type.GetOptions().map_entry:
        yield _each(field, check_request)


def _required_check(field: FieldDescriptor) -> Check | None:
    name = field.name
    if field.is_repeated or field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES):
        is_absent: Callable[[Message], bool] = lambda message: not getattr(message, name)  # noqa: E731
    elif field.message_type is not None:
        is_absent = lambda message: not message.HasField(name)  # noqa: E731
    elif field.enum_type is not None:
        is_absent = lambda message: getattr(message, name) == 0  # noqa: E731
    else:
        return None

    def check(message: Message, path: str) -> None:
        if is_absent(message):
            raise invalid_field(path + name, "required", "REQUIRED")

    return check


def _each(field: FieldDescriptor, check: Callable[[Any, str], None]) -> Check:
    """Return a check of the field's value, or of every element's; a message also wants its path to go on."""
    name, dot = field.name, "." if field.message_type is not None else ""

    def check_list(message: Message, path: str) -> None:
        values = getattr(message, name)
        if len(values) > ELEMENTS_MAX:
            raise invalid_field(path + name, f"at most {ELEMENTS_MAX} elements")
        for index, value in enumerate(values):
            check(value, f"{path}{name}[{index}]{dot}")

    def check_value(message: Message, path: str) -> None:
        check(getattr(message, name), f"{path}{name}")

    def check_present(message: Message, path: str) -> None:
        if message.HasField(name):
            check(getattr(message, name), f"{path}{name}.")

    if field.is_repeated:
        return check_list
    return check_present if field.message_type is not None else check_value


def _check_text(text: str, path: str) -> None:
    if "\0" in text:
        raise invalid_field(path, "text without NUL")


def _enum_check(known: frozenset[int]) -> Callable[[int, str], None]:
    def check(value: int, path: str) -> None:
        if value not in known:
            raise invalid_field(path, f"{value} is not a value of this enum")

    return check


def _check_timestamp(message: Message, path: str) -> None:
    instant: Any = message
    if instant.seconds not in _TIMESTAMP_SECONDS or instant.nanos not in _NANOSECONDS:
        raise invalid_field(path.rstrip("."), "an instant between the years 1 and 9999")
