"""Lets this process reach the gateway and nothing else.

The transport guards the client that an adapter makes. Libraries make others:
for telemetry, updates, downloads. Python tells an audit hook of every
connection and every look-up of a name before it happens, whoever asks.
"""

import sys
from typing import Any
from urllib.parse import urlsplit

from memform_kit import operation


class Refused(PermissionError):
    """A connection that must not leave this process."""


def install(gateway: str) -> None:
    """Refuse from now on, for good, every address but that of the gateway's URL."""
    where = urlsplit(gateway)
    allowed = (where.hostname, where.port)

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "socket.connect":
            address = args[1]
            if not isinstance(address, tuple) or address[:2] != allowed:
                refuse(address)
        elif event == "socket.getaddrinfo" and args[0] != where.hostname:
            refuse(args[:2])

    sys.addaudithook(hook)


def refuse(address: Any) -> None:
    """End the current operation and raise."""
    message = f"a connection to {address}: not the gateway, refused"
    if (op := operation.current()) is not None:
        op.fail(message)
    raise Refused(message)
