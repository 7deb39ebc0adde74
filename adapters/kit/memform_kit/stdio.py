"""Lines of JSON on the standard streams.

Libraries print, and the programs they start read. So both streams are moved
away before any library is imported: what they print goes to stderr, what they
read is empty.
"""

import json
import os
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

MAX_LINE = 64 << 20
_SURROGATE = re.compile("[\ud800-\udfff]")


class Broken(Exception):
    """The input cannot be read on: a line over the limit, or an error of the system."""


def claim() -> tuple[BinaryIO, BinaryIO]:
    """Take stdin and stdout for the protocol; leave /dev/null and stderr in their place."""
    lines_in, lines_out = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return os.fdopen(lines_in, "rb"), os.fdopen(lines_out, "wb", buffering=0)


def read(stream: BinaryIO) -> Iterator[dict[str, Any] | ValueError]:
    """Yield each line's object, or the error of a line that is none, until the end.

    What ends the reading early is raised as Broken.
    """
    while line := _line(stream):
        try:
            value = json.loads(line.decode("utf-8"))
        except ValueError as err:
            yield err
            continue
        yield value if isinstance(value, dict) else ValueError("a line on stdin is no JSON object")


def _line(stream: BinaryIO) -> bytes:
    try:
        line = stream.readline(MAX_LINE + 1)
    except OSError as err:
        raise Broken(f"stdin: {err}") from err
    if len(line) > MAX_LINE:
        raise Broken(f"a line of more than {MAX_LINE >> 20} MiB on stdin")
    return line


def encode(message: dict[str, Any]) -> bytes:
    """The line of a message. It fits the limit, or ValueError."""
    line = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    data = line.encode("utf-8") + b"\n"
    if len(data) > MAX_LINE:
        raise ValueError(f"a line of {len(data)} bytes is over the limit of {MAX_LINE >> 20} MiB")
    return data


def write(stream: BinaryIO, data: bytes) -> None:
    """Write all of data. A raw stream may take only a part of it at a time."""
    view = memoryview(data)
    while view:
        view = view[stream.write(view) :]


def whole(text: str) -> str:
    """text with each lone surrogate, which UTF-8 cannot hold, replaced by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)
