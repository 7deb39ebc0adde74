"""The life of an adapter's process: hello, operations, end."""

import asyncio
import contextlib
import importlib
import os
import platform
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from memform_kit import guard, ids, logs, packages, stdio
from memform_kit.operations import Operations
from memform_kit.stack import Gateway, Stack

PROTOCOL = 1
MAX_OPS = 64
DRAIN = 3.0  # seconds that open operations get at the end; memform kills after 5

Inbound = dict[str, Any] | Exception | None  # a line, why it is none, or the end


class Fatal(Exception):
    """The process cannot serve what memform wants; the message says what to do."""


@dataclass(frozen=True)
class Adapter:
    """An adapter's name and version, its folder, and the module of each of its stacks.

    A stack's module has `open_stack(Gateway) -> Stack`. It is imported only when
    memform wants that stack, and only after the standard streams were moved away.
    """

    name: str
    version: str
    folder: Path
    stacks: Mapping[str, str]


def serve(adapter: Adapter) -> NoReturn:
    """Speak the protocol on stdin and stdout until they end, then end the process."""
    lines, out = stdio.claim()
    ids.install()
    code = 0
    try:
        asyncio.run(_serve(adapter, lines, out))
    except BrokenPipeError:
        pass  # memform is gone: there is nobody to tell
    except Exception as err:
        code = 1
        if not isinstance(err, Fatal):
            traceback.print_exc()
        _farewell(out, err)
    sys.stderr.flush()
    os._exit(code)  # at once: libraries leave threads and exit hooks behind


async def _serve(adapter: Adapter, lines: BinaryIO, out: BinaryIO) -> None:
    """Answer the hello, then serve operations until the input ends."""
    reader = stdio.read(lines)
    stack, answer = _hello(adapter, next(reader, None))
    logs.install(stack.loggers)

    def send(message: dict[str, Any]) -> None:
        stdio.write(out, stdio.encode(message))

    send(answer)
    operations = Operations(stack, send, MAX_OPS)
    inbox: asyncio.Queue[Inbound] = asyncio.Queue()
    _read_in_thread(reader, inbox)
    while (line := await inbox.get()) is not None:
        if isinstance(line, stdio.Broken):
            raise line
        if isinstance(line, Exception):
            send({"type": "log", "level": "error", "message": f"a line was ignored: {line}"})
        elif line.get("type") in ("complete", "form"):
            operations.start(line)
        elif line.get("type") == "cancel":
            operations.cancel(line.get("id"))
        elif line.get("type") == "bye":
            break
    await operations.drain(DRAIN)


def _hello(adapter: Adapter, line: Any) -> tuple[Stack, dict[str, Any]]:
    """The stack that memform wants, opened, and the answer to the hello."""
    if not isinstance(line, dict) or line.get("type") != "hello":
        raise Fatal("the first line is no hello: start this program by memform, or see adapters/PROTOCOL.md")
    if line.get("protocol") != PROTOCOL:
        raise Fatal(f"protocol {line.get('protocol')} is wanted; this adapter speaks {PROTOCOL}")
    want = line.get("want", {}).get("stack")
    if want not in adapter.stacks:
        raise Fatal(f"stack {want!r} is wanted; this adapter has {', '.join(sorted(adapter.stacks))}")
    guard.install(line["gateway"])
    module = importlib.import_module(adapter.stacks[want])
    stack: Stack = module.open_stack(Gateway(line["gateway"], line["token"]))
    return stack, {
        "type": "hello",
        "protocol": PROTOCOL,
        "adapter": adapter.name,
        "adapter_version": adapter.version,
        "stack": {"name": want, "version": stack.version},
        "packages": packages.installed(adapter.folder / "requirements.lock"),
        "python": platform.python_version(),
        "capabilities": list(stack.capabilities),
        "max_ops": MAX_OPS,
        "deterministic": stack.deterministic,
    }


def _read_in_thread(reader: Iterator[dict[str, Any] | ValueError], inbox: "asyncio.Queue[Inbound]") -> None:
    """Put each line into inbox, at the end None or Broken. The loop stays free while nothing comes."""
    loop = asyncio.get_running_loop()

    def run() -> None:
        last: Inbound = None
        try:
            for line in reader:
                loop.call_soon_threadsafe(inbox.put_nowait, line)
        except stdio.Broken as err:
            last = err
        loop.call_soon_threadsafe(inbox.put_nowait, last)

    threading.Thread(target=run, name="stdin", daemon=True).start()


def _farewell(out: BinaryIO, err: Exception) -> None:
    message = str(err) if isinstance(err, Fatal) else f"{type(err).__name__}: {err}"
    with contextlib.suppress(OSError):  # memform is gone
        stdio.write(out, stdio.encode({"type": "fatal", "message": stdio.whole(message)}))
