"""Messages as plain values: every kind of field, and what SQL makes of it."""

from __future__ import annotations

import json
from typing import Any

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.duration_pb2 import DESCRIPTOR as DURATION
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import DESCRIPTOR as TIMESTAMP

from libs.cli.events.documents import document, sql_structure
from libs.cli.events.schema import known_types
from tests.support.golden_events import stored_files

LEVEL, BREAK_, STARTS, TEXTS, LIFTED = "level", "break_time", "start_time", "texts", "lifted"


def made() -> type[Message]:
    """A message with an instant, a duration, a list, a number and one that may be absent."""
    file = FileDescriptorProto(name="made.proto", package="made", syntax="proto3")
    file.dependency.extend([TIMESTAMP.name, DURATION.name])
    message = file.message_type.add(name="Made")
    kinds: dict[str, dict[str, Any]] = {
        LEVEL: {"type": FieldDescriptorProto.TYPE_INT64},
        BREAK_: {"type": FieldDescriptorProto.TYPE_MESSAGE, "type_name": ".google.protobuf.Duration"},
        STARTS: {"type": FieldDescriptorProto.TYPE_MESSAGE, "type_name": ".google.protobuf.Timestamp"},
        TEXTS: {"type": FieldDescriptorProto.TYPE_STRING, "label": FieldDescriptorProto.LABEL_REPEATED},
        LIFTED: {"type": FieldDescriptorProto.TYPE_INT32, "proto3_optional": True, "oneof_index": 0},
    }
    for number, (name, kind) in enumerate(kinds.items(), 1):
        message.field.add(name=name, number=number, **kind)
    message.oneof_decl.add(name="_lifted")
    pool = DescriptorPool()
    for needed in (TIMESTAMP, DURATION):
        pool.AddSerializedFile(needed.serialized_pb)
    pool.AddSerializedFile(file.SerializeToString())
    return GetMessageClass(pool.FindMessageTypeByName("made.Made"))


def test_every_kind_of_field_is_a_plain_value() -> None:
    """Large numbers stay numbers, instants are text, durations seconds."""
    message: Any = made()(level=2**62, texts=["a", "ă"], lifted=0)
    message.break_time.FromMilliseconds(1_500)
    message.start_time.FromMicroseconds(1_234_567)

    assert document(message) == {
        LEVEL: 2**62,
        BREAK_: 1.5,
        STARTS: "1970-01-01T00:00:01.234567Z",
        TEXTS: ["a", "ă"],
        LIFTED: 0,
    }


def test_what_is_not_set_is_its_default_or_null() -> None:
    """Null is what may be absent; the rest has proto3's defaults."""
    assert document(made()()) == {LEVEL: 0, BREAK_: None, STARTS: None, TEXTS: [], LIFTED: None}


def test_sql_types_follow_from_fields() -> None:
    """As DuckDB's `from_json` takes them."""
    assert sql_structure(made()) == {
        LEVEL: "BIGINT",
        BREAK_: "DOUBLE",
        STARTS: "TIMESTAMP",
        TEXTS: ["VARCHAR"],
        LIFTED: "INTEGER",
    }


def test_every_event_that_was_ever_stored_is_plain() -> None:
    """All samples of the corpus become JSON with all fields of their messages, none of them lost."""
    for path, stored in stored_files():
        message = known_types()[stored["type"]].FromString(bytes.fromhex(stored["data"]))
        told = json.loads(json.dumps(document(message)))
        assert set(told) == {field.name for field in message.DESCRIPTOR.fields}, path
        assert {name for name, value in told.items() if value not in (None, [], "", 0)} >= {
            name for name, value in stored["decoded"].items() if value not in ([], "", 0)
        }
