"""For the tests of an adapter: a gateway that answers from a function, and the adapter's process.

Neither is memform: what they check is what an adapter sends, byte for byte,
and how it answers. `memform stack check` runs the whole suite.
"""

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from memform_kit.transport import HEADER

TOKEN = "test-token-0123456789"
MODEL = "test-model"
WAIT = 60.0  # seconds until a test that gets no line fails

Body = dict[str, Any]
Answer = Body | tuple[int, Body] | None
Responder = Callable[[Body], Answer]


def text(content: str | None) -> Body:
    """An answer that is plain text."""
    return {"role": "assistant", "content": content}


def tools(*calls: tuple[str, Body]) -> Body:
    """An answer that calls tools, with ids that depend on nothing but their place."""
    entries = [
        {"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        for i, (name, args) in enumerate(calls)
    ]
    return {"role": "assistant", "content": None, "tool_calls": entries}


def always(answer: Answer) -> Responder:
    """The same answer to every request."""
    return lambda body: answer


@dataclass(frozen=True)
class Seen:
    """One request that reached the gateway."""

    op: str
    path: str
    headers: Mapping[str, str]
    body: Body

    @property
    def canonical(self) -> str:
        """The body as text that is equal for equal bodies."""
        return json.dumps(self.body, sort_keys=True, ensure_ascii=True)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256  # as many connections at once as there are operations, and more


class Gateway:
    """An OpenAI-compatible server on the loopback interface.

    respond(body) gives an assistant message, (status, body) for anything else,
    or None to cut the connection.
    """

    def __init__(self, respond: Responder) -> None:
        self.seen: list[Seen] = []
        self._respond = respond
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self) -> "Gateway":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()

    def by_op(self) -> dict[str, list[str]]:
        """The canonical bodies of each operation, in the order of their arrival."""
        bodies = defaultdict(list)
        for seen in self.seen:
            bodies[seen.op].append(seen.canonical)
        return dict(bodies)

    def _answer(self, op: str, path: str, headers: Mapping[str, str], body: Body) -> tuple[int, Body] | None:
        with self._lock:
            self.seen.append(Seen(op, path, headers, body))
        if headers.get("authorization") != f"Bearer {TOKEN}":
            return 401, _error("memform_token", "wrong token")
        if not op:
            return 424, _error("memform_no_operation", "no operation")
        answer = self._respond(body)
        if answer is None or isinstance(answer, tuple):
            return answer
        finish = "tool_calls" if answer.get("tool_calls") else "stop"
        choice = {"index": 0, "finish_reason": finish, "message": answer}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        head = {"id": "x", "object": "chat.completion", "created": 1, "model": body.get("model", "")}
        return 200, head | {"choices": [choice], "usage": usage}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16  # head and body leave together

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                answer = gateway._answer(headers.get(HEADER, ""), self.path, headers, json.loads(data))
                if answer is None:
                    self.close_connection = True
                    return
                out = json.dumps(answer[1]).encode()
                self.send_response(answer[0])
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(out)))
                self.send_header("x-should-retry", "false")
                self.end_headers()
                self.wfile.write(out)

            def log_message(self, *_: object) -> None:
                pass

        return Handler


def refusal(status: int = 424, code: str = "memform_failed", message: str = "the call failed") -> tuple[int, Body]:
    """An error in the form of the OpenAI API."""
    return status, _error(code, message)


def _error(code: str, message: str) -> Body:
    return {"error": {"message": message, "type": "memform", "param": None, "code": code}}


class Process:
    """The adapter in adapters/NAME as memform starts it, with its own environment and an empty home."""

    def __init__(self, folder: Path, stack: str, gateway: str, hash_seed: int = 0, **hello: Any) -> None:
        self._home = tempfile.TemporaryDirectory()
        manifest = json.loads((folder / "adapter.json").read_text(encoding="utf-8"))
        words = {"{python}": sys.executable, "{dir}": str(folder)}
        command = [words.get(word, word.replace("{dir}", str(folder))) for word in manifest["command"]]
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._home.name,
            env=_environment(folder, self._home.name, gateway, hash_seed),
        )
        self._lines: queue.Queue[Body | None] = queue.Queue()
        self.stderr = b""
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._read, self._read_stderr)]
        for thread in self._threads:
            thread.start()
        first = {"type": "hello", "protocol": 1, "gateway": gateway, "token": TOKEN}
        self.send(first | {"want": {"stack": stack, "lock_digest": "0" * 64}} | hello)
        self.hello = self.receive()

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill what is left and remove its home."""
        if self._child.poll() is None:
            self._child.kill()
        self._child.wait()
        for thread in self._threads:
            thread.join()
        for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self._home.cleanup()

    def send(self, message: Body) -> None:
        """Write one line."""
        self.send_raw(json.dumps(message, ensure_ascii=False).encode("utf-8") + b"\n")

    def send_raw(self, data: bytes) -> None:
        """Write bytes that need not be a line."""
        assert self._child.stdin is not None
        self._child.stdin.write(data)
        self._child.stdin.flush()

    def receive(self) -> Body:
        """The next line; an AssertionError with the log where there is none."""
        try:
            line = self._lines.get(timeout=WAIT)
        except queue.Empty:
            raise AssertionError(f"no line in {WAIT} s; stderr: {self.stderr.decode()}") from None
        if line is None:
            raise AssertionError(f"the adapter ended; stderr: {self.stderr.decode()}")
        return line

    def results(self, *lines: Body, count: int | None = None) -> dict[str, Body]:
        """Send the lines at once and wait for count results (one a line), by id in the order of their arrival."""
        for line in lines:
            self.send(line)
        results: dict[str, Body] = {}
        while len(results) < (len(lines) if count is None else count):
            line = self.receive()
            if line["type"] == "result":
                results[line["id"]] = line
        return results

    def end(self) -> int:
        """Close the input and wait for the end; the exit code."""
        assert self._child.stdin is not None
        self._child.stdin.close()
        return self._child.wait(timeout=10)

    def _read(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            self._lines.put(json.loads(line))
        self._lines.put(None)

    def _read_stderr(self) -> None:
        assert self._child.stderr is not None
        for line in self._child.stderr:
            self.stderr += line


def complete(id_: str, *messages: tuple[str, str], **params: Any) -> Body:
    """A `complete` whose operation is named after its id."""
    entries = [{"role": role, "content": content} for role, content in messages]
    return _request("complete", id_, params) | {"messages": entries}


def form(id_: str, *records: str, **params: Any) -> Body:
    """A `form` whose operation is named after its id."""
    return _request("form", id_, params) | {"records": [{"text": r} for r in records], "updater": "own"}


def _request(kind: str, id_: str, params: Body) -> Body:
    return {"type": kind, "id": id_, "op": op_of(id_), "model": MODEL, "params": params}


def op_of(id_: str) -> str:
    """The operation token of a request made here."""
    return f"op-{id_:0>16}"


def _environment(folder: Path, home: str, gateway: str, hash_seed: int) -> dict[str, str]:
    """The variables that adapters/PROTOCOL.md lists. The addresses are wrong on purpose: arguments must win."""
    return {
        "PATH": os.environ.get("PATH", ""),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "HOME": home,
        "TMPDIR": home,
        "PYTHONHASHSEED": str(hash_seed),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONUTF8": "1",
        "PYTHONPATH": str(folder),
        "OPENAI_API_KEY": "not-this-one",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "OPENAI_API_BASE": "http://127.0.0.1:9/v1",
    }
