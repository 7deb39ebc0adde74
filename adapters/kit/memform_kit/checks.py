"""Checks that every stack must pass, for the tests of an adapter.

A test case inherits from Carrier or MemorySystem and says which stack it is
and how a model would answer it. The checks send requests through the real
library to a gateway of their own. Import this module, not its classes: a test
runner runs each TestCase that a test module holds.
"""

import datetime
import json
import re
import threading
import unittest
from pathlib import Path
from typing import Any

from memform_kit import testing
from memform_kit.testing import MODEL, TOKEN, Answer, Body, Gateway, Process, Responder, Seen, always, refusal

TEXTS = (
    "plain",
    "{braces} {{double}} %s ${x} {% jinja %} {{ x }}",
    "<fact>x</fact> </session> &amp; <!-- -->",
    "  outer blanks \t\n",
    "n\u0303 \u00f1 \u2126",
    "a\r\nb\u2028c\u2029d\x85e",
    "\u202eright to left\u202c \u200b\ufeff",
    "nul \x00 bell \x07",
    "🙂👩‍👩‍👧 𝔘",
    '"quotes" \\ \\n \\u0041',
)
# Names by which the libraries change roles, parameters or the address.
NAMES = ("gpt-5", "gpt-5-mini", "o1", "o3-mini", "o4-mini", "gpt-5-pro", "gpt-5.2-pro", "gpt-6", "ft:gpt-4:me:x:1")

Outcome = tuple[Body, list[Seen]]


class StackChecks(unittest.TestCase):
    """What holds for carriers and memory systems alike."""

    folder: Path
    stack: str
    gateway: Gateway
    process: Process
    respond: Responder

    @classmethod
    def setUpClass(cls) -> None:
        cls.gateway = Gateway(lambda body: cls.respond(body))
        cls.addClassCleanup(cls.gateway.close)
        cls.process = Process(cls.folder, cls.stack, cls.gateway.url)
        cls.addClassCleanup(cls.process.close)

    def request(self, id_: str, *texts: str, **params: Any) -> Body:
        """The operation of this kind of stack over these texts."""
        raise NotImplementedError

    def answer(self, body: Body) -> Answer:
        """What a model answers; a function of the body alone."""
        raise NotImplementedError

    def one(self, *texts: str, answer: Responder | None = None, model: str = MODEL, **params: Any) -> Outcome:
        """One operation in the process that these checks share: its result, and what the gateway saw."""
        type(self).respond = staticmethod(answer or self.answer)
        self.gateway.seen.clear()
        result = self.process.results(self.request("1", *texts, **params) | {"model": model})["1"]
        return result, list(self.gateway.seen)

    def test_hello_has_the_versions_of_the_lock(self) -> None:
        hello = self.process.hello
        lock = (self.folder / "requirements.lock").read_text()
        self.assertEqual(hello["packages"], dict(re.findall(r"^(\S+)==(\S+)", lock, re.MULTILINE)))
        head = lock.split("\n")[0]
        self.assertEqual(head, f"# adapter {hello['adapter']} {hello['adapter_version']}")
        self.assertEqual(hello["adapter"], json.loads((self.folder / "adapter.json").read_text())["adapter"])

    def test_cold_warm_and_interleaved_runs_send_the_same(self) -> None:
        requests = [self.request(str(i), "equal", f"text {i} é", f"{i}" * 3, "last") for i in range(16)]
        runs = []
        for seed in (0, 1):
            with Gateway(self.answer) as gateway, Process(self.folder, self.stack, gateway.url, seed) as process:
                results = process.results(*requests)
                interleaved = gateway.by_op()
                gateway.seen.clear()
                for request in requests:
                    self.assertEqual(process.results(request)[request["id"]], results[request["id"]])
                self.assertEqual(gateway.by_op(), interleaved)
            self.assertTrue(all(r["ok"] for r in results.values()), results)
            runs.append((results, interleaved))
        self.assertEqual(runs[0], runs[1])

    def test_each_request_is_named_and_nothing_of_it_is_in_the_body(self) -> None:
        requests = [self.request(f"{i}", f"text-{i}-", f"more-{i}-") for i in range(64)]
        type(self).respond = staticmethod(self.answer)
        self.gateway.seen.clear()
        results, seen = self.process.results(*requests), self.gateway.seen
        self.assertEqual(len(seen), sum(r["calls"] for r in results.values()))
        today = datetime.date.today()
        for one in seen:
            owners = {testing.op_of(n) for n in re.findall(r"(?:text|more)-(\d+)-", one.canonical)}
            self.assertEqual(owners, {one.op})
            for secret in (TOKEN, one.op, str(today.year), today.strftime("%B %d")):
                self.assertNotIn(secret, one.canonical)

    def test_texts_arrive_as_they_were(self) -> None:
        for text in TEXTS:
            with self.subTest(text):
                result, seen = self.one(text)
                self.assertTrue(result["ok"], result)
                self.assertTrue(any(text in str(m["content"]) for one in seen for m in one.body["messages"]), seen)

    def test_a_long_text_arrives_whole(self) -> None:
        text = "0123456789é" * 300_000
        result, seen = self.one(text)
        self.assertTrue(result["ok"])
        self.assertIn(text, "".join(str(m["content"]) for m in seen[0].body["messages"]))

    def test_parameters_go_as_they_were_given(self) -> None:
        params = {
            "temperature": 0,
            "top_p": 0.5,
            "seed": 7,
            "stop": ["END"],
            "reasoning_effort": "low",
            "max_tokens": 64,
        }
        _, seen = self.one("x", answer=None, model=MODEL, **params)
        body = dict(seen[0].body)
        body["max_tokens"] = body.pop("max_completion_tokens", body.get("max_tokens"))
        self.assertEqual({name: body.get(name) for name in params}, params)
        self.assertEqual(body["model"], "test-model")
        _, seen = self.one("x")
        extra = set(seen[0].body) - {"model", "messages", "stream", "tools", "tool_choice"}
        self.assertEqual(extra, set(), "nothing that was not asked for")
        self.assertFalse(seen[0].body["stream"])

    def test_an_unknown_parameter_is_refused(self) -> None:
        result, seen = self.one("x", logit_bias={})
        self.assertEqual((result["error"]["kind"], seen), ("unsupported", []))

    def test_the_model_s_name_changes_nothing(self) -> None:
        _, plain = self.one("x", temperature=0)
        for name in NAMES:
            with self.subTest(name):
                result, seen = self.one("x", temperature=0, model=name)
                self.assertTrue(result["ok"], result)
                self.assertEqual(seen[0].path, "/v1/chat/completions")
                self.assertEqual(seen[0].body, plain[0].body | {"model": name})

    def test_a_failure_is_one_request_and_an_error(self) -> None:
        answers: tuple[tuple[Answer, str], ...] = (
            (refusal(), "HTTP 424 memform_failed: the call failed"),
            (refusal(429, "memform_failed", "slow down"), "HTTP 429"),
            (refusal(500), "HTTP 500"),
            (None, "no answer from the gateway"),
        )
        for answer, message in answers:
            with self.subTest(message):
                result, seen = self.one("x", "y", answer=always(answer))
                self.assertEqual(result["error"]["kind"], "gateway")
                self.assertIn(message, result["error"]["message"])
                self.assertEqual(len(seen), 1)

    def test_a_wrong_token_is_an_error(self) -> None:
        type(self).respond = staticmethod(self.answer)
        with Process(self.folder, self.stack, self.gateway.url, token="another-token-0123456789") as process:
            result = process.results(self.request("1", "x"))["1"]
        self.assertIn("HTTP 401 memform_token", result["error"]["message"])

    def test_no_gateway_is_an_error_that_may_be_tried_again(self) -> None:
        with Process(self.folder, self.stack, "http://127.0.0.1:9/v1") as process:
            error = process.results(self.request("1", "x"))["1"]["error"]
        self.assertEqual((error["kind"], error["retryable"]), ("gateway", True))

    def test_cancel_leaves_the_others_alone(self) -> None:
        gate = threading.Event()

        def answer(body: Body) -> Answer:
            if "wait here" in json.dumps(body):
                gate.wait(testing.WAIT)
            return self.answer(body)

        type(self).respond = staticmethod(answer)
        self.process.send(self.request("a", "wait here"))
        self.assertTrue(self.process.results(self.request("b", "go on"))["b"]["ok"])
        results = self.process.results({"type": "cancel", "id": "a"}, count=1)
        self.assertEqual(results["a"]["error"]["kind"], "cancelled")
        gate.set()
        self.assertTrue(self.process.results(self.request("c", "go on"))["c"]["ok"])


class Carrier(StackChecks):
    """What holds for a carrier: memform's messages, one call, the answer's text."""

    def request(self, id_: str, *texts: str, **params: Any) -> Body:
        roles = ("system", "user", "assistant")
        return testing.complete(id_, *((roles[i % 3], text) for i, text in enumerate(texts)), **params)

    def answer(self, body: Body) -> Answer:
        return testing.text(f"answer to {body['messages'][-1]['content']}")

    def test_messages_are_those_that_were_given(self) -> None:
        for messages in (
            [("user", "only")],
            [("system", "s"), ("user", "u")],
            [("user", "u"), ("assistant", "a"), ("user", "u")],
            [("user", "a"), ("user", "a"), ("user", "b")],
            [("assistant", ""), ("user", ""), ("system", "")],
            [("system", t) for t in TEXTS] + [("user", t) for t in TEXTS] + [("assistant", t) for t in TEXTS],
        ):
            with self.subTest(messages):
                self.gateway.seen.clear()
                type(self).respond = staticmethod(self.answer)
                result = self.process.results(testing.complete("1", *messages))["1"]
                self.assertEqual(result["calls"], 1, result)
                sent = self.gateway.seen[0].body["messages"]
                self.assertEqual(sent, [{"role": role, "content": content} for role, content in messages])

    def test_the_answer_s_text_comes_back(self) -> None:
        for content in (*TEXTS, ""):
            with self.subTest(content):
                result, _ = self.one("x", answer=always(testing.text(content)))
                self.assertEqual((result["text"], result["warnings"]), (content, []))
        result, _ = self.one("x", answer=always(testing.text(None)))
        self.assertEqual(result["text"], "")

    def test_it_forms_no_memory(self) -> None:
        self.assertEqual(self.process.results(testing.form("1", "x"))["1"]["error"]["kind"], "unsupported")


class MemorySystem(StackChecks):
    """What holds for a memory system: records in their order, the memory in order of creation."""

    def request(self, id_: str, *texts: str, **params: Any) -> Body:
        return testing.form(id_, *texts, **params)

    def test_no_record_is_no_call_and_no_memory(self) -> None:
        result, seen = self.one()
        self.assertEqual((result["memory"], result["calls"], seen), ("", 0, []))

    def test_records_go_in_one_by_one_in_their_order(self) -> None:
        records = [f"record-{i}-of-six" for i in (3, 1, 2, 6, 5, 4)]
        result, seen = self.one(*records)
        self.assertEqual(result["calls"], len(records))
        self.assertEqual([re.findall(r"record-\d-of-six", one.canonical) for one in seen], [[r] for r in records])

    def test_a_repeated_record_is_sent_again(self) -> None:
        result, seen = self.one("same", "same", "same")
        self.assertEqual((result["calls"], len(seen)), (3, 3))

    def test_equal_beginnings_send_equal_beginnings(self) -> None:
        _, first = self.one("a", "b", "c")
        _, second = self.one("a", "b", "d")
        self.assertEqual([one.canonical for one in first[:2]], [one.canonical for one in second[:2]])
        self.assertNotEqual(first[2].canonical, second[2].canonical)

    def test_an_answer_without_a_memory_is_said(self) -> None:
        for answer in (testing.text("I shall remember."), testing.text(""), testing.text(None)):
            result, _ = self.one("x", "y", answer=always(answer))
            self.assertEqual(result["memory"], "")
            self.assertEqual(result["warnings"], [f"record {i} of 2 left the memory unchanged" for i in (1, 2)])

    def test_it_completes_nothing(self) -> None:
        self.assertEqual(
            self.process.results(testing.complete("1", ("user", "x")))["1"]["error"]["kind"], "unsupported"
        )
