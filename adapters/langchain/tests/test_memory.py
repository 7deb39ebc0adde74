"""The stack `langmem`: the common checks, and what its manager does with tools."""

import hashlib
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(FOLDER.parent / "kit"))

from memform_kit import checks  # noqa: E402
from memform_kit.testing import Answer, Body, always, refusal, text, tools  # noqa: E402

INSTANCE = re.compile(r"<instance id=(\S+) ")


def memory(content: str) -> tuple[str, Body]:
    """A call that inserts a memory."""
    return "Memory", {"content": content}


def patch(id_: str, content: str) -> tuple[str, Body]:
    """A call that changes one."""
    edit = {"op": "replace", "path": "/content", "value": content}
    return "PatchDoc", {"json_doc_id": id_, "planned_edits": "", "patches": [edit]}


def existing(body: Body) -> list[str]:
    """The ids of the memories that the model is shown, in their order."""
    return INSTANCE.findall(body["messages"][0]["content"])


def record(body: Body) -> str:
    """The record that the model is shown."""
    found: str = body["messages"][1]["content"].rpartition("====\n\n")[2].rpartition("\n</session_")[0]
    return found


class Langmem(checks.MemorySystem):
    folder = FOLDER
    stack = "langmem"

    def answer(self, body: Body) -> Answer:
        digest = hashlib.sha256(record(body).encode()).hexdigest()[:8]
        calls = [memory(f"fact {digest} é")]
        if ids := existing(body):
            calls.append(patch(ids[0], f"newer {digest}"))
        return tools(*calls)

    def test_memories_are_exported_in_order_of_creation(self) -> None:
        def answer(body: Body) -> Answer:
            if record(body) != "third":
                return tools(memory(f"{record(body)} a"), memory(f"{record(body)} b"))
            return tools(patch(existing(body)[-1], "first b, changed"), memory("third"))

        result, seen = self.one("first", "second", "third", answer=answer)
        self.assertEqual(result["memory"], "first a\nfirst b, changed\nsecond a\nsecond b\nthird")
        self.assertEqual(len(existing(seen[2].body)), 4)
        self.assertNotIn("RemoveDoc", seen[2].canonical)

    def test_a_tool_is_required_only_where_a_memory_stands(self) -> None:
        _, seen = self.one("a", "b")
        self.assertEqual([one.body.get("tool_choice") for one in seen], [None, "required"])

    def test_broken_arguments_are_asked_for_again_and_then_lost(self) -> None:
        for broken in (1, 3):
            result, _ = self.one("x", answer=always(tools(*[("Memory", {"other": 1})] * broken)))
            self.assertEqual((result["memory"], result["calls"]), ("", 1 + 2 * broken))
            self.assertIn("extraction: Unrecognized function call Memory", result["warnings"])
            self.assertEqual(result["warnings"][-1], "record 1 of 1 left the memory unchanged")

    def test_a_patch_of_an_unknown_memory_is_said(self) -> None:
        def answer(body: Body) -> Answer:
            return tools(patch("no-such-id", "x") if existing(body) else memory("a"))

        result, _ = self.one("x", "y", answer=answer)
        self.assertEqual(result["memory"], "a")
        self.assertIn("extraction: Could not find existing schema in dict for no-such-id", result["warnings"])

    def test_a_memory_keeps_its_text(self) -> None:
        for content in checks.TEXTS:
            result, _ = self.one("x", answer=always(tools(memory(content))))
            self.assertEqual(result["memory"], content)

    def test_the_library_would_go_on_after_a_failure(self) -> None:
        def answer(body: Body) -> Answer:
            return refusal() if existing(body) else tools(memory("a"))

        result, seen = self.one("x", "y", "z", answer=answer)
        self.assertEqual((result["ok"], len(seen)), (False, 2))

    def test_plain_text_leaves_what_is_remembered(self) -> None:
        result, _ = self.one("x", "y", answer=lambda b: text("nothing new") if existing(b) else tools(memory("a")))
        self.assertEqual(result["memory"], "a")
