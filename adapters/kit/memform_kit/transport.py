"""The last step of every request, below whatever a library does above it.

It names the operation in a header, counts the calls, refuses any other server
than the gateway, and sees each failure before a library can turn it into an
empty memory. It works for `httpx` and for `httpx2`: the adapter mixes it into
the transport class of the one that its client needs.
"""

import json
from collections.abc import Callable
from typing import Any

from memform_kit import operation

HEADER = "x-memform-op"


class NotTheGateway(Exception):
    """A request that must not leave this process."""


class Attributed:
    """An async transport of the httpx kind around another one.

    Use: `class Transport(Attributed, httpx.AsyncBaseTransport): pass`, then
    `Transport(httpx.AsyncHTTPTransport(...), gateway_url)`.
    """

    def __init__(self, inner: Any, gateway: str) -> None:
        self._inner = inner
        self._gateway = gateway.rstrip("/") + "/"

    async def handle_async_request(self, request: Any) -> Any:
        op = operation.current()
        if op is None:
            raise NotTheGateway(f"{request.method} {request.url}: a request outside of any operation")
        if not str(request.url).startswith(self._gateway):
            message = f"{request.method} {request.url}: not the gateway, refused"
            op.fail(message)
            raise NotTheGateway(message)
        request.headers[HEADER] = op.token
        if request.url.path.endswith("/chat/completions"):
            op.calls += 1
        try:
            response = await self._inner.handle_async_request(request)
            body = await response.aread()
        except Exception as err:
            op.fail(f"no answer from the gateway: {type(err).__name__}: {err}", retryable=True)
            raise
        if response.status_code >= 400:
            op.fail(_describe(response.status_code, body))
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class Lanes:
    """Async transports of the httpx kind, one for each request in flight.

    One transport for all would look through all its connections for each
    request: at 64 at once that takes most of the CPU of a call. Use: `Lanes(make)`,
    where `make()` is a transport with at most one connection.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._idle: list[Any] = []

    async def handle_async_request(self, request: Any) -> Any:
        lane = self._idle.pop() if self._idle else self._make()
        response = await lane.handle_async_request(request)
        await response.aread()
        self._idle.append(lane)  # not one whose request was cut: it has closed its connection
        return response

    async def aclose(self) -> None:
        while self._idle:
            await self._idle.pop().aclose()


class Refusing:
    """A sync transport that lets nothing through: a blocking call would stop every operation."""

    def handle_request(self, request: Any) -> Any:
        message = f"{request.method} {request.url}: a blocking request, refused"
        if (op := operation.current()) is not None:
            op.fail(message)
        raise NotTheGateway(message)


def _describe(status: int, body: bytes) -> str:
    """The gateway's error in one line; the body's start where it has another form."""
    try:
        error = json.loads(body)["error"]
        return f"HTTP {status} {error.get('code') or ''}: {error.get('message') or ''}"
    except (ValueError, KeyError, TypeError, AttributeError):
        return f"HTTP {status}: {body[:200].decode('utf-8', 'replace')}"
