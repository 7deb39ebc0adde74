"""The life of a process and of its operations, seen from outside."""

import json
import sys
import time
import unittest
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from memform_kit.testing import Body, Process, complete, form  # noqa: E402

STUB = HERE / "stub"
GATEWAY = "http://127.0.0.1:9/v1"


def stub(stack: str = "stub") -> Process:
    return Process(STUB, stack, GATEWAY)


def cancel(id_: str) -> Body:
    return {"type": "cancel", "id": id_}


class Hello(unittest.TestCase):
    def test_names_what_it_is(self) -> None:
        with stub() as process:
            hello = process.hello
        self.assertEqual((hello["type"], hello["protocol"], hello["adapter"]), ("hello", 1, "stub"))
        self.assertEqual(hello["stack"], {"name": "stub", "version": "0"})
        self.assertEqual(hello["capabilities"], ["form"])
        self.assertEqual(hello["packages"], {"pip": version("pip")})  # the installed one, not the lock's

    def test_refuses_by_a_fatal_line(self) -> None:
        for stack, why in (("other", "this adapter has broken, stub"), ("broken", "ImportError: no such library")):
            with self.subTest(stack), stub(stack) as process:
                self.assertEqual(process.hello["type"], "fatal")
                self.assertIn(why, process.hello["message"])
                self.assertEqual(process.end(), 1)

    def test_refuses_another_protocol(self) -> None:
        with Process(STUB, "stub", GATEWAY, protocol=2) as process:
            self.assertIn("protocol 2 is wanted", process.hello["message"])


class Operations(unittest.TestCase):
    process: Process

    @classmethod
    def setUpClass(cls) -> None:
        cls.process = stub()
        cls.addClassCleanup(cls.process.close)

    def form(self, *records: str) -> Body:
        return self.process.results(form("1", *records))["1"]

    def error(self, *records: str) -> tuple[str, str]:
        result = self.form(*records)
        self.assertFalse(result["ok"], result)
        return result["error"]["kind"], result["error"]["message"]

    def test_texts_come_back_as_they_went(self) -> None:
        for text in ("{a} {{b}}", " outer ", "n\u0303", "\u2028\u2029", "\x00", "\r\n", "🙂\u202e", ""):
            with self.subTest(text):
                self.assertEqual(self.form(text, "x")["memory"], f"{text}\nx" if text else "x")

    def test_answers_in_the_order_of_the_ends(self) -> None:
        slow, fast = form("slow", "pause 0.2"), form("fast", "x")
        self.assertEqual(list(self.process.results(slow, fast)), ["fast", "slow"])

    def test_cancel_ends_one_operation(self) -> None:
        self.process.send(form("a", "sleep"))
        self.process.send(form("b", "pause 0.2", "kept"))
        results = self.process.results(cancel("a"), cancel("unknown"), count=2)
        self.assertEqual(results["a"]["error"]["kind"], "cancelled")
        self.assertEqual(results["b"]["memory"], "kept")

    def test_cancel_is_answered_though_the_library_goes_on(self) -> None:
        began = time.monotonic()
        self.process.send(form("a", "stubborn"))
        self.process.send(form("b", "pause 0.05"))
        self.assertEqual(self.process.results(cancel("a"), count=2)["a"]["error"]["kind"], "cancelled")
        self.assertLess(time.monotonic() - began, 30)

    def test_errors_have_a_kind(self) -> None:
        self.assertEqual(self.error("raise"), ("library", "IndexError: list index out of range"))
        self.assertEqual(self.error("swallowed"), ("gateway", "HTTP 424 memform_failed: no"))
        self.assertEqual(self.error("cancels"), ("library", "the library cancelled its own work"))
        self.assertEqual(self.error("long")[0], "internal")
        self.assertEqual(self.process.results(complete("1", ("user", "x")))["1"]["error"]["kind"], "unsupported")

    def test_bad_requests_say_where(self) -> None:
        base = form("1", "a")
        for change, why in (
            ({"records": [{"text": "a"}, {}]}, "records[1].text is missing or no text"),
            ({"records": "a"}, "records is missing or no list"),
            ({"updater": "rewrite"}, "updater is 'rewrite'"),
            ({"state": "s"}, "state is given"),
            ({"model": 1}, "model is missing or no text"),
            ({"op": None}, "op is missing or no text"),
            ({"params": []}, "params is no object"),
            ({"type": "complete", "messages": []}, "messages is empty"),
            ({"type": "complete", "messages": [{"role": "tool", "content": ""}]}, "messages[0].role is 'tool'"),
        ):
            with self.subTest(why):
                error = self.process.results(base | change)["1"]["error"]
                self.assertEqual(error["kind"], "bad_request")
                self.assertIn(why, error["message"])

    def test_a_lone_surrogate_is_refused_and_never_sent(self) -> None:
        self.process.send_raw(json.dumps(form("1", "a\ud800")).encode() + b"\n")
        self.assertEqual(
            self.process.results(count=1)["1"]["error"]["message"], "records[0].text holds a lone surrogate at 1"
        )
        result = self.form("surrogate")
        self.assertEqual(result["memory"], "a\ufffdb")
        self.assertEqual(result["warnings"], ["the text held lone surrogates; each became U+FFFD"])

    def test_what_a_library_prints_and_reads_is_not_the_protocol(self) -> None:
        self.assertTrue(self.form("print")["ok"])
        self.assertEqual(self.form("read")["memory"], "read 0")

    def test_nothing_but_the_gateway_is_reached(self) -> None:
        for host in ("127.0.0.1", "example.invalid", "::1"):
            kind, message = self.error(f"connect {host}")
            self.assertEqual(kind, "gateway")
            self.assertIn("not the gateway, refused", message)

    def test_a_library_s_log_becomes_a_warning(self) -> None:
        self.assertEqual(self.form("log", "log")["warnings"], ["stub.deep: two lines"])
        self.assertEqual(self.form("x")["warnings"], [])

    def test_ids_start_anew_with_each_operation(self) -> None:
        alone = self.form("uuid", "uuid")["memory"].split("\n")
        self.assertEqual(len(set(alone)), 2)
        together = self.process.results(*(form(str(i), "uuid", "pause 0.01", "uuid") for i in range(100)))
        self.assertEqual({r["memory"] for r in together.values()}, {"\n".join(alone)})

    def test_a_line_that_is_none_is_logged(self) -> None:
        for line in (b"{", b"[]", b"\xff"):
            self.process.send_raw(line + b"\n")
            answer = self.process.receive()
            self.assertEqual((answer["type"], answer["level"]), ("log", "error"))
        self.process.send({"type": "news", "id": 1})
        self.assertEqual(self.form("x")["memory"], "x")

    def test_an_open_id_is_not_taken_twice(self) -> None:
        self.process.send(form("1", "sleep"))
        self.process.send(form("1", "x"))
        self.assertIn("id '1' is open already", self.process.receive()["message"])
        self.assertEqual(self.process.results(cancel("1"), count=1)["1"]["error"]["kind"], "cancelled")


class End(unittest.TestCase):
    def test_open_operations_are_cancelled_in_time(self) -> None:
        for name, last in (("end of input", None), ("bye", {"type": "bye"})):
            with self.subTest(name), stub() as process:
                process.send(form("a", "sleep"))
                process.send(form("b", "pause 0.2", "kept"))
                began = time.monotonic()
                if last is not None:
                    process.send(last)
                self.assertEqual(process.end(), 0)
                self.assertLess(time.monotonic() - began, 5)
                results = process.results(count=2)
                self.assertEqual(results["b"]["memory"], "kept")
                self.assertEqual(results["a"]["error"]["kind"], "cancelled")

    def test_a_line_over_the_limit_ends_it(self) -> None:
        with stub() as process:
            process.send_raw(b"x" * (64 << 20) + b"xx")
            self.assertEqual(
                process.receive(), {"type": "fatal", "message": "Broken: a line of more than 64 MiB on stdin"}
            )
            self.assertEqual(process.end(), 1)


if __name__ == "__main__":
    unittest.main()
