"""Messages of any contract with values at and beyond every edge, from a seed."""

from __future__ import annotations

from random import Random
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

DEPTH_MAX = 3
TEXTS = (
    *("", " ", "x", "me", "players/me", "layouts/x", "é", "\u202e", "🀄", "1m", "Fl1", "display_name"),
    *("a" * 37, "a" * 3_000, "-1", "0", "'; DROP TABLE profile; --", "\u0000", "%s%n", "../..", "\ufffd"),
    *("players/00000000-0000-0000-0000-000000000000", "matches/00000000-0000-0000-0000-000000000001"),
)
NUMBERS = (0, 1, -1, 2, 7, 200, 2**31 - 1, -(2**31))
LONG_NUMBERS = (*NUMBERS, 2**63 - 1, -(2**63))


def wild_message(descriptor: Descriptor, random: Random, depth: int = 0) -> Message:
    """Return a message whose fields are absent, ordinary or extreme."""
    message = GetMessageClass(descriptor)()
    for field in descriptor.fields:
        if random.random() < 0.3:
            continue
        if field.is_repeated:
            values = [_value(field, random, depth) for _ in range(random.choice((1, 2, 3, 5, 300)))]
            getattr(message, field.name).extend([value for value in values if value is not None])
        elif (value := _value(field, random, depth)) is not None:
            if field.message_type is not None:
                getattr(message, field.name).CopyFrom(value)
            else:
                setattr(message, field.name, value)
    return message


def _value(field: FieldDescriptor, random: Random, depth: int) -> Any:
    if field.message_type is not None:
        return wild_message(field.message_type, random, depth + 1) if depth < DEPTH_MAX else None
    if field.enum_type is not None:
        return random.choice((0, 1, 2, 3, 99, -1))
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING:
            text = random.choice(TEXTS)
            return text if field.type == FieldDescriptor.TYPE_STRING else text.encode()
        case FieldDescriptor.CPPTYPE_BOOL:
            return random.random() < 0.5
        case FieldDescriptor.CPPTYPE_INT32:
            return random.choice(NUMBERS)
        case _:
            return random.choice(LONG_NUMBERS)
