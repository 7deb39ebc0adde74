"""The parts that need no process: the transport and the lines."""

import asyncio
import io
import json
import sys
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memform_kit import operation, stdio  # noqa: E402
from memform_kit.operation import Operation  # noqa: E402
from memform_kit.transport import HEADER, Attributed, Lanes, NotTheGateway, Refusing  # noqa: E402

GATEWAY = "http://127.0.0.1:4000/v1"


class Response:
    def __init__(self, status: int = 200, body: bytes = b"{}") -> None:
        self.status_code = status
        self._body = body

    async def aread(self) -> bytes:
        return self._body


class Inner:
    """Stands for the transport of the HTTP library."""

    def __init__(self, answer: Response | Exception) -> None:
        self.requests: list[Any] = []
        self._answer = answer

    async def handle_async_request(self, request: Any) -> Response:
        self.requests.append(request)
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


def request(url: str = GATEWAY + "/chat/completions") -> Any:
    class Url(str):
        path = url.partition(":4000")[2] or url

    return SimpleNamespace(method="POST", url=Url(url), headers={})


def send(answer: Response | Exception, sent: Any, op: Operation | None) -> tuple[Inner, Exception | None]:
    """Send one request through the transport while op is the current operation."""
    inner = Inner(answer)

    async def run() -> Exception | None:
        if op is not None:
            operation.enter(op)
        try:
            await Attributed(inner, GATEWAY).handle_async_request(sent)
        except Exception as err:
            return err
        return None

    return inner, asyncio.run(run())


class Lane:
    """A transport that breaks where it is given a second request before the first is answered."""

    def __init__(self) -> None:
        self.busy = self.closed = False

    async def handle_async_request(self, sent: Any) -> Response:
        assert not self.busy
        self.busy = True
        await asyncio.sleep(0)
        if sent is None:
            raise OSError("cut")
        self.busy = False
        return Response()

    async def aclose(self) -> None:
        self.closed = True


class LanesTest(unittest.TestCase):
    def test_one_request_at_a_time_on_each(self) -> None:
        made: list[Lane] = []

        def make() -> Lane:
            made.append(Lane())
            return made[-1]

        async def run() -> None:
            lanes = Lanes(make)
            for _ in range(3):  # each round finds the lanes of the first
                await asyncio.gather(*(lanes.handle_async_request("request") for _ in range(5)))
            self.assertEqual(len(made), 5)
            with self.assertRaises(OSError):
                await lanes.handle_async_request(None)
            await asyncio.gather(*(lanes.handle_async_request("request") for _ in range(5)))
            self.assertEqual(len(made), 6)  # what was cut is not used again
            await lanes.aclose()
            self.assertEqual(sum(lane.closed for lane in made), 5)

        asyncio.run(run())


class Transport(unittest.TestCase):
    def test_names_the_operation_and_counts_the_call(self) -> None:
        op, sent = Operation("1", "token"), request()
        inner, err = send(Response(), sent, op)
        self.assertIsNone(err)
        self.assertEqual((sent.headers[HEADER], op.calls, op.failure), ("token", 1, ""))
        self.assertEqual(inner.requests, [sent])

    def test_counts_chat_requests_only(self) -> None:
        op = Operation("1", "token")
        send(Response(), request(GATEWAY + "/embeddings"), op)
        self.assertEqual(op.calls, 0)

    def test_refuses_what_is_not_the_gateway(self) -> None:
        for url in ("https://example.com/v1/chat/completions", "http://127.0.0.1:4000/v11/x", GATEWAY):
            op = Operation("1", "token")
            inner, err = send(Response(), request(url), op)
            self.assertIsInstance(err, NotTheGateway)
            self.assertEqual((inner.requests, op.calls), ([], 0))
            self.assertIn("not the gateway", op.failure)

    def test_refuses_a_request_outside_of_any_operation(self) -> None:
        inner, err = send(Response(), request(), None)
        self.assertIsInstance(err, NotTheGateway)
        self.assertEqual(inner.requests, [])

    def test_refuses_a_blocking_request(self) -> None:
        with self.assertRaises(NotTheGateway):
            Refusing().handle_request(request())

    def test_a_failure_marks_the_operation(self) -> None:
        error = json.dumps({"error": {"code": "memform_failed", "message": "no"}}).encode()
        for answer, failure, retryable in (
            (Response(424, error), "HTTP 424 memform_failed: no", False),
            (Response(500, b"<html>"), "HTTP 500: <html>", False),
            (Response(400, b"[]"), "HTTP 400: []", False),
            (OSError("reset"), "no answer from the gateway: OSError: reset", True),
        ):
            op = Operation("1", "token")
            send(answer, request(), op)
            self.assertEqual((op.failure, op.retryable), (failure, retryable))

    def test_the_first_failure_stands(self) -> None:
        op = Operation("1", "token")
        op.fail("first", retryable=True)
        op.fail("second")
        self.assertEqual((op.failure, op.retryable), ("first", True))


class Lines(unittest.TestCase):
    def test_end_only_at_a_newline(self) -> None:
        text = {"a": "\u2028\u2029\x85\r\x00 é"}
        lines = stdio.encode(text) * 2
        self.assertEqual(list(stdio.read(io.BytesIO(lines))), [text, text])

    def test_hold_no_nan(self) -> None:
        with self.assertRaises(ValueError):
            stdio.encode({"a": float("nan")})

    def test_are_written_whole(self) -> None:
        class Slow(io.RawIOBase):
            taken = b""

            def write(self, data: Any) -> int:
                self.taken += bytes(data[:7])
                return min(7, len(data))

        slow = Slow()
        stdio.write(slow, b"0123456789" * 3)  # type: ignore[arg-type]
        self.assertEqual(slow.taken, b"0123456789" * 3)

    def test_warnings_are_short_and_few(self) -> None:
        op = Operation("1", "token")
        for i in range(50):
            op.warn(f"{i // 2} " + "x" * 1000)
        self.assertEqual(len(op.warnings), operation.MAX_WARNINGS)
        self.assertEqual({len(w) for w in op.warnings}, {operation.MAX_WARNING_CHARS})


if __name__ == "__main__":
    unittest.main()
