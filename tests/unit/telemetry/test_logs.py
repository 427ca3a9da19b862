"""Lines of the log: JSON, in a trace where there is one, and without what people wrote."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
import structlog

from libs.telemetry.logs import configure_logs, log_call, without_values
from libs.telemetry.traceparent import TRACEPARENT

_PROGRAM = """
import structlog
from libs.telemetry.logs import configure_logs
configure_logs("info", "json")
for _ in range(100):
    structlog.get_logger().info("a line", text="x" * 1_000)
print("went on", file=__import__("sys").stderr)
__import__("os")._exit(0)
"""


@pytest.fixture
def output(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """What is written while logs are set up as in a process; afterwards they are as before."""
    text = io.StringIO()
    monkeypatch.setattr(sys, "stdout", text)
    before = structlog.get_config()
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    configure_logs("info", "json")
    yield text
    structlog.configure(**before)
    root.handlers[:] = handlers
    root.setLevel(level)


def _fail(text: str) -> NoReturn:
    raise RuntimeError(text)


def test_an_error_is_logged_without_rows_and_parameters(output: io.StringIO) -> None:
    """PostgreSQL quotes rows in DETAIL, SQLAlchemy quotes parameters: neither reaches the log."""
    name = "ana".title()  # the traceback quotes the next line but one
    try:
        _fail(f"duplicate key\nDETAIL:  Key (display_name)=({name}) already exists.")
    except RuntimeError:
        structlog.get_logger().exception(
            "rpc.failed", method="/sparrow.account.v1.AccountService/UpdateProfile"
        )

    (line,) = [json.loads(each) for each in output.getvalue().splitlines()]
    assert "Ana" not in output.getvalue()
    assert "duplicate key" in line["exception"]
    assert (line["level"], line["event"]) == ("error", "rpc.failed")


def test_lines_of_other_libraries_are_json_too(output: io.StringIO) -> None:
    """They pass the same last stage."""
    logging.getLogger("asyncpg").warning("cannot reach postgresql://sparrow:geheim@10.0.0.1:5432/sparrow")

    line = json.loads(output.getvalue())
    assert "geheim" not in line["event"] and "10.0.0.1:5432" in line["event"]


def test_a_line_within_a_kept_trace_names_it(output: io.StringIO) -> None:
    """So lines and spans are found from each other; a trace that is not kept is not named."""
    for flag in ("01", "00"):
        token = TRACEPARENT.set(f"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-{flag}")
        structlog.get_logger().info("rpc")
        TRACEPARENT.reset(token)

    kept, not_kept = [json.loads(each) for each in output.getvalue().splitlines()]
    assert kept["trace_id"] == "0af7651916cd43dd8448eb211c80319c"
    assert "trace_id" not in not_kept


def test_tokens_are_cut_out_of_errors() -> None:
    """Whatever quotes a header."""
    text = without_values("bad header: Bearer abc.def and eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiI3In0.c2ln")

    assert text == "bad header: … and …"


def test_a_full_disk_loses_lines_and_fails_nothing() -> None:
    """With standard output on a full device, a program that logs goes on."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )

    assert (done.returncode, done.stderr) == (0, "went on\n")


async def test_the_line_of_a_call_is_that_of_structlog(output: io.StringIO) -> None:
    """It is put together by hand, soon and together with others, and stands before what is logged later."""
    told = {"method": "/a.B/C", "code": "OK", "reason": 'a "word"', "duration_ms": 1.25, "caller": "Player"}
    token = TRACEPARENT.set("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    log_call(**told)  # type: ignore[arg-type]
    log_call(**told)  # type: ignore[arg-type]
    at_first = output.getvalue()
    await asyncio.sleep(0)
    soon = output.getvalue()
    log_call(**told)  # type: ignore[arg-type]
    structlog.get_logger().info("rpc", **told)
    TRACEPARENT.reset(token)

    assert at_first == "" and len(soon.splitlines()) == 2
    lines = [json.loads(line) for line in output.getvalue().splitlines()]
    for line in lines:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", line.pop("timestamp"))
    assert (
        lines
        == [{**told, "event": "rpc", "level": "info", "trace_id": "0af7651916cd43dd8448eb211c80319c"}] * 4
    )


def test_outside_of_a_loop_the_line_of_a_call_is_written_at_once(output: io.StringIO) -> None:
    """As at the end of a process."""
    log_call(method="/a.B/C", code="OK", reason="", duration_ms=1.0, caller="Player")

    assert json.loads(output.getvalue())["event"] == "rpc"


def test_no_line_of_a_call_stands_within_another_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that ends in one thread while another one writes a line: both lines stay whole."""

    class Busy(io.StringIO):
        """While anything but a call is written, a call ends elsewhere."""

        def write(self, text: str) -> int:
            written = super().write(text)
            if "elsewhere" in text:
                log_call(method="/a.B/C", code="OK", reason="", duration_ms=1.0, caller="Player")
            return written

    text = Busy()
    monkeypatch.setattr(sys, "stdout", text)
    before = structlog.get_config()
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    configure_logs("info", "json")
    try:
        structlog.get_logger().info("elsewhere")
    finally:
        structlog.configure(**before)
        root.handlers[:] = handlers
        root.setLevel(level)

    assert [json.loads(line)["event"] for line in text.getvalue().splitlines()] == ["elsewhere", "rpc"]
