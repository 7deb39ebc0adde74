"""The operation that the running code works for.

Libraries offer no place to carry a token from a call of theirs down to the
request that it causes. A context variable does: each operation is a task with
a context of its own, and every task that a library starts inherits it.
"""

import asyncio
import itertools
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field

MAX_WARNINGS = 20
MAX_WARNING_CHARS = 200


@dataclass
class Operation:
    """What one operation has done so far. Nothing of it outlives the operation."""

    id: str
    token: str
    calls: int = 0
    warnings: list[str] = field(default_factory=list)
    failure: str = ""
    retryable: bool = False
    cancelled: bool = False
    answered: bool = False
    serial: Iterator[int] = field(default_factory=itertools.count)
    task: asyncio.Task[None] | None = None

    def warn(self, message: str) -> None:
        """Add a short text of one line for the user; repeats and floods are left out."""
        message = " ".join(message.split())[:MAX_WARNING_CHARS]
        if message not in self.warnings and len(self.warnings) < MAX_WARNINGS:
            self.warnings.append(message)

    def fail(self, message: str, retryable: bool = False) -> None:
        """End the operation because a request of its failed.

        Libraries catch such errors and go on with an empty memory. Cancelling
        the task is what they do not catch.
        """
        if not self.failure:
            self.failure, self.retryable = message, retryable
        if self.task is not None:
            self.task.cancel()

    def cancel(self) -> None:
        """End the operation because memform asked for it."""
        self.cancelled = True
        if self.task is not None:
            self.task.cancel()


_current: ContextVar[Operation | None] = ContextVar("memform_operation", default=None)


def current() -> Operation | None:
    """The operation of the running code, or None outside of any."""
    return _current.get()


def enter(op: Operation) -> None:
    """Make op the current operation of the running task and of all that it starts."""
    _current.set(op)
