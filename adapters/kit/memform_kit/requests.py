"""The operations as values, checked when they come in."""

from dataclasses import dataclass
from typing import Any

ROLES = ("system", "user", "assistant")


class BadRequest(ValueError):
    """A request that breaks the protocol; the message says where."""


@dataclass(frozen=True)
class Message:
    """One message of a chat: a role of ROLES and its text."""

    role: str
    content: str


@dataclass(frozen=True)
class Complete:
    """Send these messages once and return the answer's text."""

    model: str
    messages: tuple[Message, ...]
    params: dict[str, Any]


@dataclass(frozen=True)
class Form:
    """Form a memory from these records, in their order, and return it as text."""

    model: str
    records: tuple[str, ...]
    params: dict[str, Any]


def complete(line: dict[str, Any]) -> Complete:
    """The `complete` of a line, or BadRequest."""
    messages = []
    for i, entry in enumerate(_list(line, "messages")):
        where = f"messages[{i}]"
        role = text(entry, "role", where)
        if role not in ROLES:
            raise BadRequest(f"{where}.role is {role!r}, not one of {', '.join(ROLES)}")
        messages.append(Message(role, text(entry, "content", where)))
    if not messages:
        raise BadRequest("messages is empty")
    return Complete(text(line, "model"), tuple(messages), _params(line))


def form(line: dict[str, Any]) -> Form:
    """The `form` of a line, or BadRequest."""
    if line.get("updater") != "own":
        raise BadRequest(f"updater is {line.get('updater')!r}; a memory system has one, 'own'")
    if line.get("state") is not None:
        raise BadRequest("state is given, but this adapter does not have the capability")
    records = (text(entry, "text", f"records[{i}]") for i, entry in enumerate(_list(line, "records")))
    return Form(text(line, "model"), tuple(records), _params(line))


def text(holder: Any, name: str, where: str = "") -> str:
    """The text of a field, or BadRequest."""
    path = f"{where}.{name}" if where else name
    value = holder.get(name) if isinstance(holder, dict) else None
    if not isinstance(value, str):
        raise BadRequest(f"{path} is missing or no text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as err:
        raise BadRequest(f"{path} holds a lone surrogate at {err.start}") from None
    return value


def _list(line: dict[str, Any], name: str) -> list[Any]:
    value = line.get(name)
    if not isinstance(value, list):
        raise BadRequest(f"{name} is missing or no list")
    return value


def _params(line: dict[str, Any]) -> dict[str, Any]:
    value = line.get("params", {})
    if not isinstance(value, dict):
        raise BadRequest("params is no object")
    return value
