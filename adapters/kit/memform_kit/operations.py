"""Runs operations, many at once, each as a task of its own, and answers each once."""

import asyncio
import sys
import traceback
from collections.abc import Callable
from typing import Any

from memform_kit import operation, requests, stdio
from memform_kit.operation import Operation
from memform_kit.stack import Stack, Unsupported

MAX_ERROR_CHARS = 500
CANCEL_GRACE = 4.0  # seconds; memform kills after 5

Send = Callable[[dict[str, Any]], None]


class Operations:
    """The open operations of one process. All methods run on the event loop."""

    def __init__(self, stack: Stack, send: Send, max_ops: int) -> None:
        self._stack = stack
        self._send = send
        self._slots = asyncio.Semaphore(max_ops)
        self._open: dict[str, Operation] = {}

    def start(self, line: dict[str, Any]) -> None:
        """Start the operation of a line, or answer why it cannot be one."""
        id_ = line.get("id")
        if not isinstance(id_, str) or id_ in self._open:
            problem = f"id {id_!r} is open already" if isinstance(id_, str) else "id is missing or no text"
            self._send({"type": "log", "level": "error", "message": f"a request was ignored: {problem}"})
            return
        op = Operation(id_, str(line.get("op") or ""))
        self._open[id_] = op
        op.task = asyncio.get_running_loop().create_task(self._run(op, line))

    def cancel(self, id_: Any) -> None:
        """Cancel an operation; one that is not open was answered already."""
        op = self._open.get(id_)
        if op is not None and not op.cancelled:
            op.cancel()
            asyncio.get_running_loop().call_later(CANCEL_GRACE, self._answer, op, _error("cancelled", "cancelled"))

    async def drain(self, grace: float) -> None:
        """Let what is open finish for grace seconds, then cancel it."""
        tasks = [op.task for op in self._open.values() if op.task is not None]
        if not tasks:
            return
        await asyncio.wait(tasks, timeout=grace)
        for op in list(self._open.values()):
            op.cancel()
        await asyncio.wait(tasks, timeout=1)

    async def _run(self, op: Operation, line: dict[str, Any]) -> None:
        operation.enter(op)
        try:
            async with self._slots:
                result = await self._result(op, line)
        except asyncio.CancelledError:
            cancelled = _error("cancelled", "cancelled")
            result = cancelled if op.cancelled else _error("library", "the library cancelled its own work")
        if op.failure and not op.cancelled:
            result = _error("gateway", op.failure, op.retryable)
        self._answer(op, result)

    async def _result(self, op: Operation, line: dict[str, Any]) -> dict[str, Any]:
        """The result of an operation; what goes wrong in it becomes an error with a kind."""
        try:
            requests.text(line, "op")
            if line["type"] == "complete":
                kind, value = "text", await self._stack.complete(requests.complete(line))
            else:
                kind, value = "memory", await self._stack.form(requests.form(line))
        except requests.BadRequest as err:
            return _error("bad_request", str(err))
        except Unsupported as err:
            return _error("unsupported", str(err))
        except Exception as err:
            if not op.failure:
                print(f"operation {op.id}:", traceback.format_exc(), sep="\n", file=sys.stderr, flush=True)
            return _error("library", f"{type(err).__name__}: {err}")
        return {"ok": True, kind: _utf8(op, value), "calls": op.calls, "warnings": op.warnings}

    def _answer(self, op: Operation, result: dict[str, Any]) -> None:
        if op.answered:
            return
        op.answered = True
        del self._open[op.id]
        head = {"type": "result", "id": op.id}
        try:
            self._send(head | result)
        except ValueError as err:
            self._send(head | _error("internal", str(err)))


def _error(kind: str, message: str, retryable: bool = False) -> dict[str, Any]:
    message = stdio.whole(message[:MAX_ERROR_CHARS])
    return {"ok": False, "error": {"kind": kind, "message": message, "retryable": retryable}}


def _utf8(op: Operation, value: str) -> str:
    """value as memform can take it; what had to be replaced is a warning."""
    clean = stdio.whole(value)
    if clean != value:
        op.warn("the text held lone surrogates; each became U+FFFD")
    op.warnings[:] = [stdio.whole(text) for text in op.warnings]
    return clean
