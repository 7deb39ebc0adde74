"""What an adapter gives to the kit."""

from dataclasses import dataclass
from typing import Protocol

from memform_kit.requests import Complete, Form


class Unsupported(Exception):
    """The stack cannot do what the request asks; the message says why."""


@dataclass(frozen=True)
class Gateway:
    """Where model calls go. Both belong into the library's arguments: some ignore the environment."""

    url: str
    token: str


class Stack(Protocol):
    """One stack, opened for one process and shared by all of its operations.

    It keeps nothing of an operation: a client and its settings may stay, texts
    may not. A carrier answers `complete`, a memory system answers `form`; the
    other one raises Unsupported. `loggers` names the library's loggers whose
    warnings belong into the results, where else they would pass unseen.
    """

    version: str
    capabilities: tuple[str, ...]
    deterministic: bool
    loggers: tuple[str, ...]

    async def complete(self, request: Complete) -> str:
        """The answer's text, "" where there is none."""

    async def form(self, request: Form) -> str:
        """The memory as one text, in order of creation; "" is a legal memory."""
